import { assetExtensions, bundleLoaders, shared } from '../../build/bundles/bundle-options.ts'
import type { EsbuildSettings } from '../../build/bundles/esbuild-options.ts'
import { createWorkers } from '../../build/bundles/workers.ts'
import type { Assets } from '../../build/esbuild/assets.ts'
import { createBrowserGuard } from '../../build/esbuild/browser-guard.ts'
import { createHydrantModules } from '../../build/esbuild/hydrant-modules.ts'
import type { ObservedPlugins } from './observe-plugins.ts'

interface DevWorkersInput {
  siteDir: string
  settings: EsbuildSettings
  plugins: ObservedPlugins
}

/** Bundles the workers that modules start, and has the modules compiled again when a worker changes. */
export function createDevWorkers({ siteDir, settings, plugins }: DevWorkersInput): Assets {
  return createWorkers({
    siteDir,
    extensions: assetExtensions(settings),
    compileReact: settings.compileReact,
    onLoaded: plugins.watch,
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
      plugins: [...plugins.plugins, createHydrantModules(siteDir), createBrowserGuard(siteDir)],
    },
  })
}
