import { existsSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { build } from 'esbuild'
import { foldersFrom, isInstalled } from '../../build/esbuild/resolve-file.ts'

/** The settings of a `tsconfig.json` that change what a script becomes. */
export interface ScriptSettings {
  /** The absolute path of the `tsconfig.json`; null if none applies. */
  tsconfig: string | null
  /** The package whose functions create elements of JSX. */
  importSource: string
  /** Whether fields of classes are defined, as in JavaScript. Otherwise they are assigned. */
  definesFields: boolean
}

const DEFAULTS: ScriptSettings = { tsconfig: null, importSource: 'react', definesFields: true }
/** The script that shows the settings: esbuild follows `extends` and knows the defaults. */
const PROBE = 'export class Probe { field }\nexport const element = <a />\n'

/** Returns the function that reads the settings of a script. It rejects with BuildFailure for a bad `tsconfig.json`. */
export function createScriptSettings(): (path: string) => Promise<ScriptSettings> {
  const found = new Map<string, string | null>()
  const read = new Map<string, Promise<ScriptSettings>>()

  function findConfig(folder: string): string | null {
    const known = found.get(folder)
    if (known !== undefined) return known
    // As in esbuild, settings of packages do not apply.
    const files = isInstalled(`${folder}${sep}`)
      ? []
      : foldersFrom(folder).map((parent) => join(parent, 'tsconfig.json'))
    const config = files.find(existsSync) ?? null
    found.set(folder, config)
    return config
  }

  return async (path) => {
    const tsconfig = findConfig(dirname(path))
    if (tsconfig === null) return DEFAULTS
    const pending = read.get(tsconfig) ?? readSettings(tsconfig)
    read.set(tsconfig, pending)
    return await pending
  }
}

async function readSettings(tsconfig: string): Promise<ScriptSettings> {
  const { outputFiles } = await build({
    stdin: { contents: PROBE, loader: 'tsx' },
    absWorkingDir: dirname(tsconfig),
    tsconfig,
    format: 'esm',
    jsx: 'automatic',
    target: 'es2022',
    logLevel: 'silent',
    write: false,
  })
  const code = outputFiles[0]?.text ?? ''
  const [, importSource = DEFAULTS.importSource] = /from "(.+)\/jsx-runtime"/.exec(code) ?? []
  return { tsconfig, importSource, definesFields: /\bfield;/.test(code) }
}
