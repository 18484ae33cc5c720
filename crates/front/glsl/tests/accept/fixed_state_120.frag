#version 120
vec4 shine(gl_MaterialParameters m) { return m.specular * m.shininess; }
void main() {
    gl_LightSourceParameters light = gl_LightSource[1];
    gl_FragColor = gl_LightModel.ambient + gl_FrontLightModelProduct.sceneColor + gl_BackLightModelProduct.sceneColor
        + gl_FrontLightProduct[0].ambient + gl_BackLightProduct[1].diffuse + light.diffuse * light.spotCutoff
        + shine(gl_FrontMaterial) + gl_BackMaterial.emission + gl_Fog.color * gl_Fog.density + gl_TextureEnvColor[0];
}
