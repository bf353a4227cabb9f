import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join } from 'node:path'
import { toSitePath } from '../../../src/server/util/paths.ts'
import { type BuildProblem, createProblem, placeAt } from '../../build-problem.ts'
import { foldersFrom } from './resolve-file.ts'

const BY_PLUGIN = 'or compile the modules that need it with a plugin in "esbuild.plugins" of hydrant.config.ts'

/** The options of TypeScript that change what code does, and that esbuild does not know: the effect, and what to do. */
const IGNORED: Readonly<Record<string, readonly [effect: string, fix: string]>> = {
  emitDecoratorMetadata: [
    'decorators find no types at "design:type", "design:paramtypes" and "design:returntype"',
    `Name the types in the decorators, as in "@Column('text')" or "@Inject(Db)", ${BY_PLUGIN}.`,
  ],
  moduleSuffixes: ['imports find no files with these suffixes', 'Write the suffixes in the imports.'],
  customConditions: [
    'imports find packages without these conditions',
    'Name the files of these packages in "esbuild.alias" of hydrant.config.ts.',
  ],
  preserveSymlinks: ['the imports of a linked module are relative to the target of the link', 'Remove the option.'],
  rootDirs: ['a relative import finds files of its own folder only', 'Use "paths" in place of it.'],
  jsxFactory: ['elements are created by the functions of "jsxImportSource"', `Remove the option, ${BY_PLUGIN}.`],
  jsxFragmentFactory: ['fragments are those of "jsxImportSource"', `Remove the option, ${BY_PLUGIN}.`],
  plugins: ['modules are not transformed by its "transform"', `Remove the entry, ${BY_PLUGIN}.`],
}

interface Setting {
  value: unknown
  /** The absolute path of the file with the option, and its text. */
  file: string
  text: string
}

/** Warns of options in `tsconfig.json` that change code and that esbuild ignores, as plugins of a site may not. */
export function findIgnoredSettings(
  siteDir: string,
  { plugins }: { plugins: readonly { name: string }[] },
): BuildProblem[] {
  if (plugins.some(({ name }) => !name.startsWith('hydrant'))) return []
  const file = foldersFrom(siteDir)
    .map((folder) => join(folder, 'tsconfig.json'))
    .find(existsSync)
  const settings = file === undefined ? new Map<string, Setting>() : readSettings(file, [])
  return Object.entries(IGNORED).flatMap(([name, [effect, fix]]) => {
    const setting = settings.get(name)
    if (!setting || !changesCode(setting.value)) return []
    const path = toSitePath(siteDir, setting.file)
    const place = placeAt(path, setting.text, Math.max(0, setting.text.indexOf(`"${name}"`)))
    return [{ ...createProblem('HYD_BUILD_TSCONFIG', [path, name, effect], place), fix }]
  })
}

/** An entry of `plugins` without `transform` is for editors. */
function changesCode(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(changesCode)
  return typeof value === 'object' && value !== null ? 'transform' in value : Boolean(value)
}

/** Reads the ignored options of a `tsconfig.json`, and of those that it extends. esbuild reports a file that is not valid. */
function readSettings(file: string, inside: readonly string[]): Map<string, Setting> {
  if (inside.includes(file)) return new Map()
  const text = readText(file)
  const { extends: parents = [], compilerOptions } = parseJson(text)
  const inherited = [parents].flat().flatMap((name) => {
    const parent = findParent(String(name), dirname(file))
    return parent === null ? [] : [...readSettings(parent, [...inside, file])]
  })
  const own = Object.entries({ ...Object(compilerOptions) }).filter(([name]) => Object.hasOwn(IGNORED, name))
  return new Map([...inherited, ...own.map(([name, value]) => [name, { value, file, text }] as const)])
}

function findParent(name: string, folder: string): string | null {
  const candidates = [name, `${name}.json`, `${name}/tsconfig.json`]
  if (/^\.\.?(?:\/|$)/.test(name) || isAbsolute(name)) {
    const paths = candidates.map((path) => (isAbsolute(path) ? path : join(folder, path)))
    return paths.find((path) => path.endsWith('.json') && existsSync(path)) ?? null
  }
  const { resolve } = createRequire(join(folder, 'package.json'))
  for (const candidate of candidates) {
    try {
      const path = resolve(candidate)
      if (path.endsWith('.json')) return path
    } catch {
      // The next one may exist.
    }
  }
  return null
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Parses JSON with comments and trailing commas. Returns an empty object for an invalid text. */
function parseJson(text: string): Record<string, unknown> {
  const withoutComments = text.replace(/("(?:[^"\\]|\\.)*")|\/\/.*|\/\*[\s\S]*?\*\//g, '$1')
  const json = withoutComments.replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, '$1')
  try {
    return { ...Object(JSON.parse(json.replace(/^\uFEFF/, ''))) }
  } catch {
    return {}
  }
}
