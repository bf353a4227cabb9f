// Follows docs/guide from its first command to its last with the packed package.

import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { createOutsideFolder } from '../outside-folder.ts'
import { packHydrant } from '../package/pack.ts'
import { CHROMIUM_SHELL } from '../tools.ts'
import { TSC } from '../types/typed-site.ts'
import { createUserEnv } from '../user-env.ts'
import { readBlocks } from './code/code-block.ts'
import { followChapter, type Reader } from './guide.ts'

const run = promisify(execFile)
const GUIDE = 'docs/guide'

const text = (file: string): string => readFileSync(join(GUIDE, file), 'utf8')
const chapters = [...text('README.md').matchAll(/^\d+\. \[[^\]]+\]\((\S+\.md)\)/gm)].map(([, file = '']) => file)

const folder = createOutsideFolder(t, 'guide-')
const env = createUserEnv()
const reader: Reader = {
  folder,
  tarball: (await packHydrant(folder)).tarball,
  env: {
    ...env,
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

for (const file of chapters) {
  t.test(`the files, commands and output of ${file}`, async (t) => {
    const blocks = readBlocks(text(file))
    t.ok(blocks.length > 1)
    await followChapter(t, blocks, reader)
    if (!existsSync(join(reader.folder, 'tsconfig.json'))) return
    await run('node_modules/.bin/hydrant', ['types'], { cwd: reader.folder, env })
    // The types of the packages are the same after each chapter: `--incremental` checks them once.
    const words = [...TSC.options, '--incremental', '--tsBuildInfoFile', join(folder, 'checked.tsbuildinfo')]
    const errors = await run('node_modules/.bin/tsc', words, { cwd: reader.folder, env }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    )
    t.equal(errors, '', `TypeScript finds no error after ${file}`)
  })
}
