//! cesium models
export async function models() {}
