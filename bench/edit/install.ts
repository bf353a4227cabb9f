import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const OWN_MODULES = resolve(import.meta.dirname, '../../../node_modules')

export interface Installed {
  /** The `node_modules` with the packages. */
  folder: string
  /** The folder of each package, by its name. */
  packages: ReadonlyMap<string, string>
}

/**
 * Installs Vite, its React plugin and the versions of React that Hydrant's own site uses. A folder that already has
 * them is used as it is.
 */
export function installVite(work: string): Installed {
  const folder = join(work, 'vite')
  const dependencies: Record<string, string> = { vite: '^8.0.0', '@vitejs/plugin-react': '^6.0.0' }
  for (const name of ['react', 'react-dom']) dependencies[name] = versionOf(OWN_MODULES, name)
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies }, null, 2)
  const manifestFile = join(folder, 'package.json')
  const modules = join(folder, 'node_modules')
  const isWhole = Object.keys(dependencies).every((name) => existsSync(join(modules, name, 'package.json')))
  if (!isWhole || readFileSync(manifestFile, 'utf8') !== manifest) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(manifestFile, manifest)
    const env = { ...process.env, NODE_ENV: 'development' }
    execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, env, stdio: ['ignore', 2, 2] })
  }
  return { folder: modules, packages: new Map(Object.keys(dependencies).map((name) => [name, join(modules, name)])) }
}

/** Lists the versions of everything that takes part, for the report. */
export function listVersions(vite: Installed | null): string[] {
  const own = versionOf(join(OWN_MODULES, '..'), '.')
  const names = vite ? ['vite', '@vitejs/plugin-react'] : []
  return [
    `Node.js ${process.version}`,
    `Hydrant ${own}`,
    `react ${versionOf(OWN_MODULES, 'react')}`,
    ...names.map((name) => `${name} ${versionOf(vite?.folder ?? '', name)}`),
  ]
}

function versionOf(modules: string, name: string): string {
  // npm writes a version into the package.json of each installed package.
  return (JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')) as { version: string }).version
}
