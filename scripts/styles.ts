// The public entry `hydrant/styles`, for `hydrant.config.ts`.

import { createHydrantError, showValue } from '../src/server/errors/hydrant-error.ts'
import type { EsbuildPlugin } from '../src/server/options/config.ts'

/** A stylesheet to compile. */
export interface StylesheetSource {
  /** The absolute path of the file. */
  path: string
  /** The content of the file. */
  source: string
}

export interface CompiledStylesheet {
  css: string
  /** Absolute paths of other files that the CSS was made from. In development, a change of one updates the page. */
  dependencies?: readonly string[]
}

export interface StylesheetOptions {
  /** The ends of the names of the files to compile, such as `.scss`. */
  extensions: readonly string[]
  /**
   * Compiles a file to CSS. An error that it throws is shown with the place that it names: as `line` and `column`
   * (PostCSS), `loc` (Lightning CSS) or `span` (Sass).
   */
  compile(stylesheet: StylesheetSource): CompiledStylesheet | Promise<CompiledStylesheet>
}

/** A plugin for `esbuild.plugins` that Hydrant itself carries out, also for CSS modules. */
export interface StylesheetPlugin extends EsbuildPlugin {
  stylesheets: StylesheetOptions
}

/**
 * Returns a plugin for `esbuild.plugins` that compiles the stylesheets which the site imports, for example with Sass,
 * PostCSS or Lightning CSS. A file whose name ends with `.module` and one of the extensions is a CSS module. If several
 * plugins compile an extension, the first one does. Throws HYD_OPTION_INVALID.
 */
export function stylesheets(options: StylesheetOptions): StylesheetPlugin {
  const { extensions, compile } = options
  if (!Array.isArray(extensions) || !extensions.every((one) => typeof one === 'string' && /^\.\w+$/.test(one)))
    throw createHydrantError('HYD_OPTION_INVALID', ['extensions', "a list such as ['.scss']", showValue(extensions)])
  if (typeof compile !== 'function')
    throw createHydrantError('HYD_OPTION_INVALID', ['compile', 'a function', showValue(compile)])
  return { name: 'hydrant-stylesheets', setup() {}, stylesheets: { extensions, compile } }
}
