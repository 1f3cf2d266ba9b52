/// Defines the functions that both drivers have, of the same C types, under a vendor's names.
macro_rules! driver_functions {
    (
        $vendor:expr;
        error_name: $error_name:ident,
        init: $init:ident,
        count: $count:ident,
        device: $device:ident,
        load: $load:ident,
        unload: $unload:ident,
        function: $function:ident,
        allocate: $allocate:ident,
        free: $free:ident,
        write: $write:ident,
        read: $read:ident,
        copy: $copy:ident,
        create_stream: $create_stream:ident,
        destroy_stream: $destroy_stream:ident,
        synchronize: $synchronize:ident,
        launch: $launch:ident,
    ) => {
        use std::ffi::{c_char, c_int, c_uint, c_void};

        use crate::driver::{self, Code, on_device};

        /// # Safety
        /// In this and in each function below: what a pointer points to is of its type, as the
        /// driver's documentation says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $error_name(code: Code, name: *mut *const c_char) -> Code {
            // SAFETY: as above.
            unsafe { driver::error_name($vendor, code, name) }
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $init(flags: c_uint) -> Code {
            driver::start($vendor, stringify!($init), |driver| driver.init(flags))
        }

        /// # Safety
        /// As above.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $count(count: *mut c_int) -> Code {
            driver::call(stringify!($count), |driver| {
                // SAFETY: as above.
                unsafe { *count = driver.options.devices };
                Ok(())
            })
        }

        /// # Safety
        /// As above.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $device(device: *mut c_int, ordinal: c_int) -> Code {
            driver::call(stringify!($device), |driver| {
                driver.device(ordinal)?;
                // SAFETY: as above.
                unsafe { *device = ordinal };
                Ok(())
            })
        }

        /// # Safety
        /// As above.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $load(
            module: *mut usize,
            image: *const c_void,
            count: c_uint,
            options: *const c_int,
            values: *mut usize,
        ) -> Code {
            on_device(stringify!($load), |driver| {
                // SAFETY: as above.
                unsafe {
                    let log = $crate::image::log(count as usize, options, values);
                    *module = driver.load(image, log)? as usize;
                }
                Ok(())
            })
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $unload(module: usize) -> Code {
            on_device(stringify!($unload), |driver| driver.unload(module as u64))
        }

        /// # Safety
        /// As above.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $function(
            function: *mut usize,
            module: usize,
            name: *const c_char,
        ) -> Code {
            on_device(stringify!($function), |driver| {
                // SAFETY: as above.
                unsafe { *function = driver.function(module as u64, name)? as usize };
                Ok(())
            })
        }

        /// # Safety
        /// As above.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $allocate(address: *mut u64, bytes: usize) -> Code {
            on_device(stringify!($allocate), |driver| {
                // SAFETY: as above.
                unsafe { *address = driver.allocate(bytes)? };
                Ok(())
            })
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $free(address: u64) -> Code {
            on_device(stringify!($free), |driver| driver.free(address))
        }

        /// # Safety
        /// As above.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $write(to: u64, from: *const c_void, bytes: usize) -> Code {
            on_device(stringify!($write), |driver| {
                // SAFETY: as above.
                unsafe { driver.write(to, from.cast(), bytes) }
            })
        }

        /// # Safety
        /// As above.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $read(to: *mut c_void, from: u64, bytes: usize) -> Code {
            on_device(stringify!($read), |driver| {
                // SAFETY: as above.
                unsafe { driver.read(to.cast(), from, bytes) }
            })
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $copy(to: u64, from: u64, bytes: usize) -> Code {
            on_device(stringify!($copy), |driver| driver.copy(to, from, bytes))
        }

        /// # Safety
        /// As above.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $create_stream(stream: *mut usize, _flags: c_uint) -> Code {
            on_device(stringify!($create_stream), |driver| {
                // SAFETY: as above.
                unsafe { *stream = driver.create_stream()? as usize };
                Ok(())
            })
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $destroy_stream(stream: usize) -> Code {
            on_device(stringify!($destroy_stream), |driver| {
                driver.destroy_stream(stream as u64)
            })
        }

        /// Launches have ended where they were asked for.
        #[unsafe(no_mangle)]
        pub extern "C" fn $synchronize(_stream: usize) -> Code {
            on_device(stringify!($synchronize), |_| Ok(()))
        }

        /// # Safety
        /// As above.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, reason = "they are the drivers'")]
        pub unsafe extern "C" fn $launch(
            function: usize,
            grid_x: c_uint,
            grid_y: c_uint,
            grid_z: c_uint,
            block_x: c_uint,
            block_y: c_uint,
            block_z: c_uint,
            shared: c_uint,
            stream: usize,
            arguments: *const *const c_void,
            _extra: *const c_void,
        ) -> Code {
            let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
            let (function, stream) = (function as u64, stream as u64);
            on_device(stringify!($launch), |driver| {
                // SAFETY: as above.
                unsafe { driver.launch(function, grid, block, shared, stream, arguments) }
            })
        }
    };
}
