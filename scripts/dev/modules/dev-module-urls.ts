import type { Plugin } from 'esbuild'
import { assetExtensions, bundleLoaders, shared } from '../../build/bundles/bundle-options.ts'
import type { EsbuildSettings } from '../../build/bundles/esbuild-options.ts'
import { createModuleUrls, type ModuleUrlsInput } from '../../build/bundles/module-urls.ts'
import type { Assets } from '../../build/esbuild/assets.ts'
import { createBrowserGuard } from '../../build/esbuild/browser-guard.ts'
import { createHydrantModules } from '../../build/esbuild/hydrant-modules.ts'

interface DevModuleUrlsInput extends Pick<ModuleUrlsInput, 'siteDir' | 'onLoaded' | 'packageModules'> {
  settings: EsbuildSettings
  /** The site's esbuild plugins. */
  plugins: readonly Plugin[]
}

/** Publishes the files that modules for browsers name by `new URL('./file', import.meta.url)`. */
export function createDevModuleUrls({ siteDir, settings, plugins, ...rest }: DevModuleUrlsInput): Assets {
  return createModuleUrls({
    ...rest,
    siteDir,
    extensions: assetExtensions(settings),
    compileReact: settings.compileReact,
    options: {
      ...shared({ siteDir, options: settings }),
      platform: 'browser',
      target: 'es2022',
      sourcemap: 'inline',
      define: {
        'process.env.NODE_ENV': '"development"',
        HYDRANT_BROWSER: 'true',
        HYDRANT_DEV: 'true',
        ...settings.define,
      },
      loader: bundleLoaders(settings),
      plugins: [...plugins, createHydrantModules(siteDir), createBrowserGuard(siteDir)],
    },
  })
}
