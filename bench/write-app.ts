import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './paths.ts'

/** Contents by path. */
export type Files = Readonly<Record<string, string>>

/** The packages that a site of Hydrant imports, by name. */
export const SITE_PACKAGES: ReadonlyMap<string, string> = new Map([
  ['hydrant', ROOT],
  ...['react', 'react-dom', 'fastify'].map((name) => [name, join(ROOT, 'node_modules', name)] as const),
])

const SETTINGS: Files = {
  'package.json': '{ "private": true, "type": "module" }\n',
  'tsconfig.json': '{ "compilerOptions": { "jsx": "react-jsx" } }\n',
}

/** Writes an app into an empty folder. `packages` are folders, by the name under which the app imports them. */
export function writeApp(dir: string, files: Files, packages: ReadonlyMap<string, string>) {
  rmSync(dir, { recursive: true, force: true })
  writeFiles(dir, { ...SETTINGS, ...files })
  for (const [name, folder] of packages) {
    const link = join(dir, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(folder, link)
  }
}

export function writeFiles(dir: string, files: Files) {
  for (const [path, contents] of Object.entries(files)) {
    const file = join(dir, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, contents)
  }
}
