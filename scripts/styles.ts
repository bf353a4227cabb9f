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

/** The result of `compile`. */
export interface CompiledStylesheet {
  css: string
  /**
   * Absolute paths of other files that the compiler has read. In development, a change of one of them updates the page
   * (none).
   */
  dependencies?: readonly string[]
}

/** Options of `stylesheets`. */
export interface StylesheetOptions {
  /** The extensions of the files to compile, each with one dot: `['.scss']`. */
  extensions: readonly string[]
  /**
   * Compiles a file to CSS. If it throws, the error is shown with the place in its properties: `line` and `column`
   * (PostCSS), `loc` (Lightning CSS) or `span` (Sass).
   */
  compile(stylesheet: StylesheetSource): CompiledStylesheet | Promise<CompiledStylesheet>
}

/** A plugin for `esbuild.plugins`. Hydrant itself calls `compile`, also for CSS modules. */
export interface StylesheetPlugin extends EsbuildPlugin {
  stylesheets: StylesheetOptions
}

/**
 * Returns a plugin for `esbuild.plugins` that compiles the stylesheets of the site, for example with Sass, PostCSS or
 * Lightning CSS. A file whose name ends with `.module` and one of the extensions is a CSS module. If several plugins
 * have the same extension, the first one compiles the file. Throws HYD_OPTION_INVALID if `extensions` or `compile` is
 * missing or not valid.
 */
export function stylesheets(options: StylesheetOptions): StylesheetPlugin {
  const { extensions, compile } = options
  if (!Array.isArray(extensions) || !extensions.every((one) => typeof one === 'string' && /^\.\w+$/.test(one)))
    throw createHydrantError('HYD_OPTION_INVALID', ['extensions', "a list such as ['.scss']", showValue(extensions)])
  if (typeof compile !== 'function')
    throw createHydrantError('HYD_OPTION_INVALID', ['compile', 'a function', showValue(compile)])
  return { name: 'hydrant-stylesheets', setup() {}, stylesheets: { extensions, compile } }
}
