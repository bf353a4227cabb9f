import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { createHydrantError } from '../../src/server/errors/hydrant-error.ts'
import { hintAtClosest } from '../../src/server/util/closest-match.ts'
import { PACKAGE_FOLDER, REMOVE } from '../../src/server/util/paths.ts'
import { messageOf } from '../../src/server/util/unknown-values.ts'
import { discoverSite } from '../build/discover/discover-site.ts'
import { readSite } from '../build/discover/read-site.ts'
import { writeRouteTypes } from '../build/discover/route-types.ts'
import { foldersFrom } from '../build/esbuild/resolve-file.ts'
import { quoteWord, type Terminal } from '../terminal/text.ts'

/**
 * Runs `hydrant create`: writes a template into a new or empty folder, with the types of its pages, and prints the next
 * commands. It asks nothing, because scripts cannot answer, and installs nothing, so that it needs no network and the
 * output of the package manager reaches the developer.
 */
export async function runCreate(
  dir: string,
  { template: name }: { template: string },
  { stdout, env }: Terminal,
): Promise<void> {
  const template = requireTemplate(name)
  const folder = resolve(dir)
  const manager = findPackageManager(folder, env.npm_config_user_agent)
  writeFiles(dir, new Map([...readTemplate(template, dir, manager), ...Object.entries(manager.files)]))
  await writeTypes(join(folder, SITE_FOLDERS[template]))
  // One command for each line, because PowerShell 5 has no "&&".
  const next = [...(folder === process.cwd() ? [] : [`cd ${quoteWord(dir)}`]), manager.install, `${manager.run} dev`]
  stdout.write(
    `Created ${basename(folder)} from the template "${template}". Next:\n\n  ${next.join('\n  ')}\n\n${manager.hint}`,
  )
}

/** Writes the types of the pages, so that editors know them before the first build. */
async function writeTypes(dir: string): Promise<void> {
  const siteDir = realpathSync(dir)
  const { files } = await readSite(siteDir)
  await writeRouteTypes(siteDir, discoverSite(files).site)
}

export type TemplateName = 'minimal' | 'tailwind' | 'plugin'

/** The folders of `templates/` that make up each template. A file of a later folder replaces that of an earlier one. */
const LAYERS: Record<TemplateName, readonly string[]> = {
  minimal: ['common', 'site', 'minimal'],
  tailwind: ['common', 'site', 'tailwind'],
  plugin: ['common', 'plugin'],
}

/** The folder of each template that is the site. */
export const SITE_FOLDERS: Record<TemplateName, string> = { minimal: '.', tailwind: '.', plugin: 'site' }

/** Returns the name of a template. Throws HYD_CLI_TEMPLATE for any other text. */
export function requireTemplate(name: string): TemplateName {
  if (isTemplateName(name)) return name
  throw createHydrantError('HYD_CLI_TEMPLATE', [name, hintAtClosest(name, Object.keys(LAYERS))])
}

/** Returns the absolute paths of the folders that make up a template, in order. */
export function templateFolders(name: TemplateName): string[] {
  return LAYERS[name].map((layer) => join(PACKAGE_FOLDER, 'templates', layer))
}

function isTemplateName(name: string): name is TemplateName {
  return Object.hasOwn(LAYERS, name)
}

type Manifest = Record<'version', string> & Record<'dependencies' | 'devDependencies', Record<string, string>>

/** npm leaves files of the name on the left out of a package. */
const RENAMED: Record<string, string> = { gitignore: '.gitignore' }
/**
 * The files that have placeholders: `{{name}}`, `{{install}}` and `{{run}}` for commands of the package manager, and
 * `{{fastify}}` for a version of that package.
 */
const WITH_PLACEHOLDERS = ['package.json', 'README.md', 'AGENTS.md']

/** Reads a template and fills in its placeholders. Returns the contents of the files by their paths in the new folder. */
export function readTemplate(
  template: TemplateName,
  dir: string,
  { install, run }: Pick<PackageManager, 'install' | 'run'>,
): Map<string, string | Uint8Array> {
  const files = new Map<string, string | Uint8Array>(templateFolders(template).flatMap(readFolder))
  const packageJson = addSqlite(String(files.get('package.json')))
  files.set('package.json', packageJson)
  const values = readVersions().set('install', install).set('run', run)
  values.set('name', packageNameOf(dir, dependenciesIn(packageJson)))
  for (const path of WITH_PLACEHOLDERS) {
    const contents = files.get(path)
    if (contents) files.set(path, fill(String(contents), values))
  }
  return files
}

const SQLITE = '@photostructure/sqlite'

/** Adds the package with which the ledger stores failures in a file, if this Node.js has no `node:sqlite`. */
function addSqlite(packageJson: string): string {
  if (isBuiltin('node:sqlite')) return packageJson
  const manifest = JSON.parse(packageJson) as Manifest
  const dependencies = { [SQLITE]: `{{${SQLITE}}}`, ...manifest.dependencies }
  return `${JSON.stringify({ ...manifest, dependencies }, null, 2)}\n`
}

function readFolder(folder: string): [path: string, contents: Buffer][] {
  // Not `withFileTypes`: in the archives of Yarn, its entries have no absolute paths.
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => {
      const name = basename(path)
      return [join(dirname(path), RENAMED[name] ?? name), readFileSync(join(folder, path))]
    })
}

/** Returns the versions that Hydrant itself is built and tested with, by package. */
function readVersions(): Map<string, string> {
  const manifest = JSON.parse(readFileSync(join(PACKAGE_FOLDER, 'package.json'), 'utf8')) as Manifest
  return new Map([
    ...Object.entries(manifest.dependencies),
    ...Object.entries(manifest.devDependencies),
    ['hydrant', `^${manifest.version}`],
  ])
}

function dependenciesIn(packageJson: string): string[] {
  const { dependencies, devDependencies } = JSON.parse(packageJson) as Manifest
  return Object.keys({ ...dependencies, ...devDependencies })
}

function fill(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(/\{\{([^}]+)\}\}/g, (_, name: string) => {
    const value = values.get(name)
    if (value === undefined) throw new Error(`A template has the placeholder {{${name}}}, which has no value.`)
    return value
  })
}

/** Returns the name for the package in a folder: the folder's name, changed to a name that npm accepts. */
function packageNameOf(dir: string, dependencies: readonly string[]): string {
  const name = basename(resolve(dir))
    // Separates accents from their letters, so that only the accents are removed.
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
    // npm allows at most 214 characters.
    .slice(0, 200)
  if (name === '') return 'my-site'
  // npm refuses a package that depends on a package of its own name.
  return [...dependencies, 'node_modules', 'favicon.ico'].includes(name) ? `${name}-site` : name
}

/** Entries that a folder may have before: `git init` or `git clone` made them. */
const ALLOWED = ['.git']

/**
 * Writes files into a folder, which it creates if necessary. Writes all of them or none: on an error, it removes those
 * that it has written.
 *
 * Throws HYD_CREATE_NOT_EMPTY and HYD_CREATE_UNWRITABLE.
 */
export function writeFiles(dir: string, files: ReadonlyMap<string, string | Uint8Array>): void {
  const folder = resolve(dir)
  requireNoFile(folder, dir)
  requireEmpty(folder, dir)
  const written: string[] = []
  try {
    for (const [path, contents] of files) writeFile(join(folder, path), contents, written)
  } catch (error) {
    for (const path of written) rmSync(path, REMOVE)
    throw createHydrantError('HYD_CREATE_UNWRITABLE', [dir, messageOf(error)], error)
  }
}

/** Throws if the folder, or a part of its path, is a file. */
function requireNoFile(folder: string, dir: string) {
  let path = folder
  while (!existsSync(path) && path !== dirname(path)) path = dirname(path)
  if (statSync(path).isDirectory()) return
  const problem = path === folder ? 'it is a file' : `${path} is a file`
  const error = createHydrantError('HYD_CREATE_UNWRITABLE', [dir, problem])
  throw Object.assign(error, { fix: 'Choose another folder, or move the file away first.' })
}

function requireEmpty(folder: string, dir: string) {
  const present = entriesOf(folder).filter((name) => !ALLOWED.includes(name))
  if (present.length === 0) return
  const names = present.slice(0, 3).join(', ')
  const more = present.length > 3 ? ` and ${present.length - 3} more` : ''
  throw createHydrantError('HYD_CREATE_NOT_EMPTY', [dir, names + more])
}

/** Returns nothing for a folder that cannot be read: writing into it fails with the reason. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Writes a new file and adds it, or the outermost folder that it needed, to the list. Never replaces a file. */
function writeFile(file: string, contents: string | Uint8Array, written: string[]) {
  const folder = mkdirSync(dirname(file), { recursive: true })
  if (folder !== undefined) written.push(folder)
  const descriptor = openSync(file, 'wx')
  written.push(file)
  try {
    writeFileSync(descriptor, contents)
  } finally {
    closeSync(descriptor)
  }
}

export interface PackageManager {
  /** The command that installs the packages. */
  install: string
  /** The words before the name of a script. */
  run: string
  /** The contents of the configuration files that it needs, by path. */
  files: Record<string, string>
  /** What to do first, as lines of the output. */
  hint: string
}

const PNPM_FILE = 'pnpm-workspace.yaml'
/**
 * pnpm ends with an error while it does not know whether packages may run scripts when they are installed. All packages work
 * without them. Version 10 reads the list, and later versions the other setting.
 */
const PNPM_SETTINGS = `# These packages need no install scripts.
allowBuilds:
  '@photostructure/sqlite': false
  esbuild: false
ignoredBuiltDependencies:
  - '@photostructure/sqlite'
  - esbuild
`

const NPM: PackageManager = { install: 'npm install', run: 'npm run', files: {}, hint: '' }
const OTHERS = new Map<string | undefined, PackageManager>([
  ['pnpm', { install: 'pnpm install', run: 'pnpm', files: { [PNPM_FILE]: PNPM_SETTINGS }, hint: '' }],
  // By default, Yarn 2 and later keep packages in archives, which TypeScript cannot read.
  ['yarn', { install: 'yarn install', run: 'yarn', files: { '.yarnrc.yml': 'nodeLinker: node-modules\n' }, hint: '' }],
  ['bun', { install: 'bun install', run: 'bun run', files: {}, hint: '' }],
])

/**
 * Returns the package manager that started this process, or npm.
 *
 * @param folder The absolute path of the new folder. In a workspace of pnpm, the settings of the workspace apply.
 * @param userAgent The variable `npm_config_user_agent`, which every package manager sets: `pnpm/11.2.0 npm/? node/…`.
 */
export function findPackageManager(folder: string, userAgent = ''): PackageManager {
  const manager = OTHERS.get(userAgent.split('/')[0]) ?? NPM
  if (!(PNPM_FILE in manager.files)) return manager
  const file = foldersFrom(dirname(folder))
    .map((parent) => join(parent, PNPM_FILE))
    .find(existsSync)
  if (file === undefined) return manager
  return { ...manager, files: {}, hint: hintAtSettings(file) }
}

/** Names the settings that a workspace of pnpm lacks. */
function hintAtSettings(file: string): string {
  if (/\besbuild\b/.test(readFileSync(file, 'utf8'))) return ''
  return `Before you install, add these lines to ${file}:\n\n${PNPM_SETTINGS}\n`
}
