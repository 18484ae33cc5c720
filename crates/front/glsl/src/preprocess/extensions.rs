//! The known extensions of GLSL, and the versions that have them.

use crate::version::Version;

/// A row of the table of extensions.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// The name, which is also that of its macro.
    pub name: &'static str,
    /// First and last ES version that has it; `(0, 0)` for none.
    pub es: (u16, u16),
    /// First desktop version that has it; 0 for none.
    pub desktop: u16,
    /// Whether the front end implements it. The others are known by name only and define no macro, so that a program
    /// with `#ifdef NAME` uses its fallback.
    pub supported: bool,
}

impl Extension {
    /// Whether a program of this version can enable it here.
    pub const fn is_in(&self, version: Version) -> bool {
        self.supported && self.belongs_to(version)
    }

    /// Whether there is such an extension of this version.
    pub const fn belongs_to(&self, version: Version) -> bool {
        if version.is_es() {
            self.es.0 != 0 && self.es.0 <= version.number && version.number <= self.es.1
        } else {
            self.desktop != 0 && self.desktop <= version.number
        }
    }
}

macro_rules! extensions {
    (
        supported { $($name:ident $es0:literal $es1:literal $desktop:literal)* }
        known { $($other:ident $other0:literal $other1:literal $other_desktop:literal)* }
    ) => {
        /// Every known extension, in the order of their symbols.
        pub const EXTENSIONS: &[Extension] = &[
            $(Extension { name: stringify!($name), es: ($es0, $es1), desktop: $desktop, supported: true },)*
            $(Extension {
                name: stringify!($other),
                es: ($other0, $other1),
                desktop: $other_desktop,
                supported: false,
            },)*
        ];
    };
}

// Name, first and last ES version, first desktop version.
extensions! {
    supported {
        GL_OES_standard_derivatives 100 100 0
        GL_OES_texture_3D 100 100 0
        GL_OES_EGL_image_external 100 100 0
        GL_OES_EGL_image_external_essl3 300 320 0
        GL_EXT_frag_depth 100 100 0
        GL_EXT_blend_func_extended 100 320 0
        GL_EXT_draw_buffers 100 100 0
        GL_EXT_shader_texture_lod 100 100 0
        GL_EXT_shadow_samplers 100 100 0
        GL_NV_shadow_samplers_array 100 100 0
        GL_EXT_conservative_depth 300 320 0
        GL_WEBGL_draw_buffers 100 100 0
        GL_OVR_multiview 300 320 330
        GL_OVR_multiview2 300 320 330
        GL_OES_sample_variables 300 320 0
        GL_OES_shader_multisample_interpolation 300 320 0
        GL_OES_shader_image_atomic 310 320 0
        GL_OES_texture_storage_multisample_2d_array 310 320 0
        GL_OES_geometry_shader 310 320 0
        GL_OES_geometry_point_size 310 320 0
        GL_OES_gpu_shader5 310 320 0
        GL_OES_primitive_bounding_box 310 320 0
        GL_OES_shader_io_blocks 310 320 0
        GL_OES_tessellation_shader 310 320 0
        GL_OES_tessellation_point_size 310 320 0
        GL_OES_texture_buffer 310 320 0
        GL_OES_texture_cube_map_array 310 320 0
        GL_EXT_geometry_shader 310 320 0
        GL_EXT_geometry_point_size 310 320 0
        GL_EXT_gpu_shader5 310 320 0
        GL_EXT_primitive_bounding_box 310 320 0
        GL_EXT_shader_io_blocks 310 320 0
        GL_EXT_tessellation_shader 310 320 0
        GL_EXT_tessellation_point_size 310 320 0
        GL_EXT_texture_buffer 310 320 0
        GL_EXT_texture_cube_map_array 310 320 0
        GL_EXT_texture_query_lod 300 320 0
        GL_EXT_texture_shadow_lod 300 320 130
        GL_EXT_shader_non_constant_global_initializers 100 320 0
        GL_EXT_shader_implicit_conversions 310 320 0
        GL_EXT_separate_shader_objects 100 320 0
        GL_NV_shader_noperspective_interpolation 300 320 0
        GL_ARB_arrays_of_arrays 0 0 120
        GL_ARB_compute_shader 0 0 420
        GL_ARB_conservative_depth 0 0 130
        GL_ARB_cull_distance 0 0 150
        GL_ARB_derivative_control 0 0 400
        GL_ARB_draw_buffers 0 0 110
        GL_ARB_draw_instanced 0 0 110
        GL_ARB_enhanced_layouts 0 0 140
        GL_ARB_explicit_attrib_location 0 0 110
        GL_ARB_explicit_uniform_location 0 0 330
        GL_ARB_fragment_coord_conventions 0 0 110
        GL_ARB_fragment_layer_viewport 0 0 150
        GL_ARB_gpu_shader5 0 0 150
        GL_ARB_gpu_shader_fp64 0 0 150
        GL_ARB_gpu_shader_int64 0 0 400
        GL_ARB_sample_shading 0 0 130
        GL_ARB_separate_shader_objects 0 0 110
        GL_ARB_shader_atomic_counters 0 0 140
        GL_ARB_shader_bit_encoding 0 0 120
        GL_ARB_shader_draw_parameters 0 0 140
        GL_ARB_shader_image_load_store 0 0 130
        GL_ARB_shader_image_size 0 0 420
        GL_ARB_shader_precision 0 0 400
        GL_ARB_shader_storage_buffer_object 0 0 140
        GL_ARB_shader_texture_image_samples 0 0 150
        GL_ARB_shader_texture_lod 0 0 110
        GL_ARB_shader_viewport_layer_array 0 0 410
        GL_ARB_shading_language_420pack 0 0 130
        GL_ARB_shading_language_include 0 0 110
        GL_ARB_shading_language_packing 0 0 110
        GL_ARB_tessellation_shader 0 0 150
        GL_ARB_texture_cube_map_array 0 0 130
        GL_ARB_texture_gather 0 0 130
        GL_ARB_texture_multisample 0 0 140
        GL_ARB_texture_query_levels 0 0 130
        GL_ARB_texture_query_lod 0 0 130
        GL_ARB_texture_rectangle 0 0 110
        GL_ARB_uniform_buffer_object 0 0 110
        GL_ARB_viewport_array 0 0 150
        GL_ATI_shader_texture_lod 0 0 110
        GL_AMD_conservative_depth 0 0 130
        GL_ARB_fragment_shader_interlock 0 0 450
        GL_NV_fragment_shader_interlock 310 320 450
        GL_EXT_buffer_reference 310 320 140
        GL_EXT_buffer_reference2 310 320 140
        GL_EXT_buffer_reference_uvec2 310 320 140
        GL_EXT_demote_to_helper_invocation 310 320 140
        GL_NV_compute_shader_derivatives 320 320 450
        GL_KHR_compute_shader_derivatives 320 320 450
        GL_EXT_mesh_shader 320 320 450
        GL_EXT_opacity_micromap 0 0 460
        GL_EXT_ray_cull_mask 0 0 460
        GL_EXT_ray_flags_primitive_culling 0 0 460
        GL_EXT_ray_query 310 320 460
        GL_EXT_ray_tracing 0 0 460
        GL_EXT_ray_tracing_position_fetch 0 0 460
        GL_NV_ray_tracing 0 0 460
        GL_EXT_shader_atomic_float 0 0 430
        GL_EXT_shader_atomic_float2 0 0 430
        GL_EXT_shader_atomic_int64 310 320 140
        GL_EXT_fragment_invocation_density 310 320 450
        GL_EXT_device_group 310 320 140
        GL_EXT_fragment_shader_barycentric 320 320 450
        GL_EXT_fragment_shading_rate 310 320 450
        GL_NV_conservative_raster_underestimation 0 0 450
        GL_ARB_shader_stencil_export 0 0 140
        GL_EXT_gpu_shader4 0 0 110
        GL_EXT_multiview 310 320 140
        GL_EXT_nonuniform_qualifier 310 320 140
        GL_EXT_null_initializer 310 320 140
        GL_EXT_samplerless_texture_functions 310 320 140
        GL_EXT_scalar_block_layout 310 320 140
        GL_EXT_control_flow_attributes 310 320 140
        GL_AMD_gpu_shader_half_float 0 0 400
        GL_EXT_shader_16bit_storage 310 320 140
        GL_EXT_shader_explicit_arithmetic_types 310 320 140
        GL_KHR_memory_scope_semantics 310 320 140
        GL_KHR_shader_subgroup_arithmetic 310 320 140
        GL_KHR_shader_subgroup_ballot 310 320 140
        GL_KHR_shader_subgroup_basic 310 320 140
        GL_KHR_shader_subgroup_clustered 310 320 140
        GL_KHR_shader_subgroup_quad 310 320 140
        GL_KHR_shader_subgroup_shuffle 310 320 140
        GL_KHR_shader_subgroup_shuffle_relative 310 320 140
        GL_KHR_shader_subgroup_vote 310 320 140
        GL_EXT_shader_explicit_arithmetic_types_float16 310 320 140
        GL_EXT_shader_explicit_arithmetic_types_float32 310 320 140
        GL_EXT_shader_explicit_arithmetic_types_float64 310 320 140
        GL_EXT_shader_explicit_arithmetic_types_int32 310 320 140
        GL_EXT_shader_8bit_storage 310 320 140
        GL_EXT_shader_explicit_arithmetic_types_int16 310 320 140
        GL_EXT_shader_explicit_arithmetic_types_int8 310 320 140
        GL_AMD_gpu_shader_int16 0 0 450
        GL_EXT_shader_explicit_arithmetic_types_int64 310 320 140
        GL_EXT_shader_image_load_store 0 0 130
        GL_EXT_shader_image_load_formatted 310 320 140
        GL_EXT_shader_integer_mix 300 300 120
        GL_EXT_spec_constant_composites 310 320 140
        GL_EXT_terminate_invocation 310 320 140
        GL_EXT_texture_array 0 0 110
        GL_KHR_vulkan_glsl 310 320 140
        GL_GOOGLE_cpp_style_line_directive 100 320 110
        GL_GOOGLE_include_directive 100 320 110
    }
    known {
        GL_EXT_shader_framebuffer_fetch 100 320 0
        GL_ARM_shader_framebuffer_fetch 100 320 0
        GL_EXT_clip_cull_distance 300 320 0
        GL_ANGLE_clip_cull_distance 300 320 0
        GL_ANGLE_multi_draw 100 320 0
        GL_ANGLE_base_vertex_base_instance_shader_builtin 300 320 0
        GL_EXT_YUV_target 300 320 0
        GL_KHR_blend_equation_advanced 300 320 0
        GL_ANDROID_extension_pack_es31a 310 320 0
        GL_ARB_bindless_texture 0 0 330
        GL_ARB_shader_ballot 0 0 420
        GL_ARB_shader_clock 0 0 430
        GL_ARB_shader_group_vote 0 0 420
        GL_ARB_shader_subroutine 0 0 150
        GL_ARB_sparse_texture2 0 0 450
        GL_ARB_vertex_attrib_64bit 0 0 150
        GL_ARB_post_depth_coverage 0 0 150
        GL_AMD_shader_trinary_minmax 0 0 430
        GL_AMD_texture_texture4 0 0 110
        GL_AMD_vertex_shader_layer 0 0 130
        GL_AMD_vertex_shader_viewport_index 0 0 130
        GL_EXT_debug_printf 310 320 140
        GL_EXT_expect_assume 310 320 140
        GL_EXT_maximal_reconvergence 310 320 140
        GL_EXT_spirv_intrinsics 310 320 140
        GL_EXT_subgroup_uniform_control_flow 310 320 140
        GL_EXT_vulkan_glsl_relaxed 310 320 140
        GL_NV_fragment_shader_barycentric 320 320 450
        GL_NV_gpu_shader5 310 320 330
        GL_NV_shader_atomic_float 0 0 110
        GL_NV_texture_barrier 0 0 110
        GL_NV_viewport_array2 0 0 150
        GL_NV_image_formats 310 320 0
        GL_EXT_control_flow_attributes2 310 320 140
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_known_ones_and_names_stand_once() {
        use crate::version::{DESKTOP_VERSIONS, ES_VERSIONS};
        for (index, e) in EXTENSIONS.iter().enumerate() {
            assert!(e.es == (0, 0) || (ES_VERSIONS.contains(&e.es.0) && ES_VERSIONS.contains(&e.es.1)), "{}", e.name);
            assert!(e.desktop == 0 || DESKTOP_VERSIONS.contains(&e.desktop), "{}", e.name);
            assert!(e.es != (0, 0) || e.desktop != 0, "{} is nowhere", e.name);
            assert!(EXTENSIONS[..index].iter().all(|o| o.name != e.name), "{} stands twice", e.name);
        }
    }

    #[test]
    fn webgl_1_has_derivatives_and_webgl_2_has_them_built_in() {
        let find = |name: &str| EXTENSIONS.iter().find(|e| e.name == name).unwrap();
        let derivatives = find("GL_OES_standard_derivatives");
        assert!(derivatives.is_in(Version::ES_100) && !derivatives.is_in(Version::ES_300));
        assert!(!derivatives.is_in(Version::desktop(450)));
        assert!(find("GL_OVR_multiview2").is_in(Version::ES_300));
        let multi_draw = find("GL_ANGLE_multi_draw");
        assert!(multi_draw.belongs_to(Version::ES_300) && !multi_draw.is_in(Version::ES_300));
    }
}
