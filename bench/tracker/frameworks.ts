import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Missing } from '../requirements.ts'

/** A framework, as the tracker describes it: its packages, and the folders in them that the script `build` writes. */
export interface Framework {
  name: string
  frameworkPackage: string
  starter: { package: string; buildOutputDir: string }
  app: { package: string; buildOutputDir: string }
}

const FRAMEWORKS_FILE = '.github/frameworks.json'
/** The frameworks that are compared, if they are built and none is named. */
const USUAL = ['react-router', 'sveltekit']

/** The programs that serve the apps on `HOST` and `PORT`, with their arguments, as in the tracker's `serve/`. */
export const SERVED: Readonly<Record<string, readonly string[]>> = {
  astro: ['dist/server/entry.mjs'],
  next: ['node_modules/next/dist/bin/next', 'start', '--hostname', '127.0.0.1'],
  nuxt: ['.output/server/index.mjs'],
  'react-router': ['node_modules/@react-router/serve/bin.js', 'build/server/index.js'],
  'solid-start': ['.output/server/index.mjs'],
  sveltekit: ['build/index.js'],
  tanstack: ['.output/server/index.mjs'],
}

/** Returns the frameworks of a clone to compare with. Throws `Missing` unless those are built that are named, or one is. */
export function chooseFrameworks(clone: string, names: readonly string[] | null): Framework[] {
  const file = join(clone, FRAMEWORKS_FILE)
  if (!existsSync(file)) {
    const fix = 'git clone https://github.com/e18e/framework-tracker FOLDER'
    throw new Missing(`${clone} is no clone of framework-tracker: it has no ${FRAMEWORKS_FILE}`, fix)
  }
  // The cast is safe because the tracker checks its file. Only frameworks that are not served have no starter.
  const served = (JSON.parse(readFileSync(file, 'utf8')) as Framework[]).filter(({ name }) => name in SERVED)
  const known = served.map(({ name }) => name)
  const unknown = names?.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Missing(`there is no "${unknown}" to serve`, `Name some of ${known.join(', ')}.`)
  const wanted = served.filter(({ name }) => (names ?? USUAL).includes(name))
  const missing = wanted.filter(({ app }) => !existsSync(join(folderOf(clone, app), app.buildOutputDir)))
  if (missing[0] && (names || missing.length === wanted.length)) {
    const fix = `(cd ${folderOf(clone, missing[0].app)} && npm install && npm run build)`
    throw new Missing(`${missing[0].name} is not built in ${clone}`, fix)
  }
  return wanted.filter((framework) => !missing.includes(framework))
}

export function folderOf(clone: string, { package: name }: Framework['app']): string {
  return join(clone, 'packages', name)
}
