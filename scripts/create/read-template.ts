import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { PACKAGE_FOLDER } from '../../src/server/util/package-folder.ts'
import { type TemplateName, templateFolders } from './templates.ts'

type Manifest = Record<'version', string> & Record<'dependencies' | 'devDependencies', Record<string, string>>

/** npm leaves files of the name on the left out of a package. */
const RENAMED: Record<string, string> = { gitignore: '.gitignore' }
/** The files that have placeholders: `{{name}}`, and `{{fastify}}` for a version of that package. */
const WITH_PLACEHOLDERS = ['package.json', 'README.md']

/** Reads a template and fills in its placeholders. Returns the contents of the files by their paths in the new folder. */
export function readTemplate(template: TemplateName, dir: string): Map<string, string | Uint8Array> {
  const files = new Map<string, string | Uint8Array>(templateFolders(template).flatMap(readFolder))
  const values = readVersions()
  values.set('name', packageNameOf(dir, dependenciesIn(String(files.get('package.json')))))
  for (const path of WITH_PLACEHOLDERS) {
    const contents = files.get(path)
    if (contents) files.set(path, fill(String(contents), values))
  }
  return files
}

function readFolder(folder: string): [path: string, contents: Buffer][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const file = join(parentPath, name)
      const path = join(dirname(relative(folder, file)), RENAMED[name] ?? name)
      return [path, readFileSync(file)]
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
