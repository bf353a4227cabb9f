import { Script } from 'node:vm'
import type { RunnableModule } from './runnable-module.ts'

/** The names of the parameters besides `module`, `exports` and `require`, which compiled code uses for static imports. */
export const MODULE_PARAMETERS = {
  /** Replaces `require` in the source. */
  require: 'hydrantRequire',
  meta: 'hydrantMeta',
  /** Has as many characters as `import`, so columns stay. */
  dynamicImport: '$mport',
  /** Returns whether a value is the namespace of an ES module. */
  isNamespace: 'hydrantIsNamespace',
} as const

type Require = (specifier: string) => unknown

/** The code of a module as a function. It returns a promise if the module has a top-level await. */
export type ModuleFunction = (
  module: { exports: unknown },
  exports: unknown,
  require: Require,
  hydrantRequire: Require,
  hydrantMeta: object,
  dynamicImport: (specifier: unknown) => Promise<unknown>,
  isNamespace: (value: unknown) => boolean,
) => unknown

/** Makes a function of a module's compiled code. Throws for a syntax error. */
export function createModuleFunction({ code, path, isAsync }: RunnableModule): ModuleFunction {
  const parameters = ['module', 'exports', 'require', ...Object.values(MODULE_PARAMETERS)].join(', ')
  // The server's bundle is an ES module, whose code is strict.
  const beginning = `(${isAsync ? 'async ' : ''}function (${parameters}) {"use strict";`
  // The beginning is on the first line of the code, so lines stay; the column of the first line is corrected.
  const script = new Script(`${beginning}${code}\n})`, { filename: path, columnOffset: -beginning.length })
  return script.runInThisContext() as ModuleFunction
}
