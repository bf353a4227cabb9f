// Follows docs/guide from its first command to its last with the packed package.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import t from 'tap'
import { createOutsideFolder } from '../outside-folder.ts'
import { installHydrant } from '../package/installed.ts'
import { packHydrant } from '../package/pack.ts'
import { CHROMIUM_SHELL } from '../tools.ts'
import { findErrorsOfProjects, projectOf, TSC, writeTypes } from '../types/typed-site.ts'
import { createUserEnv } from '../user-env.ts'
import { readBlocks } from './code/code-block.ts'
import { followChapter, type Reader } from './guide.ts'

const GUIDE = 'docs/guide'

const text = (file: string): string => readFileSync(join(GUIDE, file), 'utf8')
const chapters = [...text('README.md').matchAll(/^\d+\. \[[^\]]+\]\((\S+\.md)\)/gm)].map(([, file = '']) => file)

const folder = createOutsideFolder(t, 'guide-')
const packed = await packHydrant(folder)
const reader: Reader = {
  folder,
  tarball: packed.tarball,
  packages: await installHydrant(packed),
  env: {
    ...createUserEnv(),
    CHROMIUM: CHROMIUM_SHELL,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_ignore_scripts: 'true',
    npm_config_prefer_offline: 'true',
  },
  server: null,
  isDev: false,
  isOutdated: false,
  hasUsedNpx: false,
}
t.teardown(() => reader.server?.stop())

t.test('the guide lists each of its chapters', async (t) => {
  t.strictSame(
    chapters.toSorted(),
    readdirSync(GUIDE)
      .filter((file) => file !== 'README.md')
      .toSorted(),
  )
})

t.test('each chapter links to the next', async (t) => {
  for (const [index, file] of chapters.slice(0, -1).entries())
    t.match(text(file), `](${chapters[index + 1]}).`, `the end of ${file}`)
})

/** The site after each chapter, by the file of the chapter. */
const copies = new Map<string, string>()

/** Copies the site without its build, and links the packages that it has at this time. */
function copySite(name: string): string {
  const copy = join(folder, 'copies', name)
  cpSync(reader.folder, copy, {
    recursive: true,
    filter: (path) => !/^(?:node_modules|\.hydrant)$/.test(basename(path)),
  })
  const packages = join(reader.folder, 'node_modules')
  for (const name of readdirSync(packages).flatMap((name) =>
    name.startsWith('@') ? listScope(packages, name) : name,
  )) {
    mkdirSync(join(copy, 'node_modules', dirname(name)), { recursive: true })
    symlinkSync(join(packages, name), join(copy, 'node_modules', name))
  }
  return copy
}

const listScope = (packages: string, scope: string) =>
  readdirSync(join(packages, scope)).map((name) => join(scope, name))

for (const file of chapters) {
  t.test(`the files, commands and output of ${file}`, async (t) => {
    const blocks = readBlocks(text(file))
    t.ok(blocks.length > 1)
    await followChapter(t, blocks, reader)
    if (!existsSync(projectOf(reader.folder))) return
    await writeTypes(t, reader.folder)
    copies.set(file, copySite(file))
  })
}

t.test('TypeScript finds no error after any chapter', async (t) => {
  const compiler = { ...TSC, command: join(reader.folder, 'node_modules/.bin/tsc') }
  const errors = await findErrorsOfProjects(compiler, folder, [...copies.values()].map(projectOf))
  for (const [index, file] of [...copies.keys()].entries()) t.strictSame(errors[index], [], file)
})
