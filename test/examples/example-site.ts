// Examples that explain themselves: they pass their own checks, and their README.md links to their files.

import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { installDocumentedPackages, linkDocumentedPackages } from '../docs/code/documented-packages.ts'
import { createOutsideFolder } from '../outside-folder.ts'
import { walk } from '../scripts/walk.ts'
import { CHROMIUM_SHELL } from '../tools.ts'
import { createUserEnv } from '../user-env.ts'

const run = promisify(execFile)
/** A developer may have used an example in its folder. */
const WRITTEN = /(?:^|\/)(?:node_modules|dist|\.hydrant[^/]*)(?:\/|$)/
/** What needs no explanation: the types that a build writes, and the explanation itself. */
const UNSHOWN = ['README.md', 'hydrant-env.d.ts']
const PROGRAMS = { hydrant: resolve('dist/scripts/cli.js'), tsc: resolve('node_modules/typescript/bin/tsc') }

/**
 * Tests an example with its own scripts, and compares its files with the links of its README.md. Returns the folder of
 * a copy that is built.
 */
export async function testExample(t: Test, name: string): Promise<string> {
  const example = join('examples', name)
  const document = join(example, 'README.md')
  const text = readFileSync(document, 'utf8')

  t.test(`${document} links to all files of the example`, async (t) => {
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => decodeURIComponent(link))
    const files = walk(example).filter((path) => !UNSHOWN.includes(basename(path)) && !WRITTEN.test(path))
    t.ok(files.length > 5)
    t.strictSame(
      files.filter((path) => !links.includes(path)),
      [],
    )
  })

  t.test(`${document} installs the packages of the example`, async (t) => {
    const { dependencies, devDependencies } = readManifest(example)
    const installed = (command: RegExp) =>
      [...text.matchAll(command)].flatMap(([, names = '']) => names.split(' ')).sort()
    t.strictSame(installed(/^npm install ((?!-).*)/gm), Object.keys(dependencies).sort())
    t.strictSame(installed(/^npm install --save-dev (.*)/gm), Object.keys(devDependencies).sort())
  })

  const dir = await copyExample(t, example)
  for (const script of ['typecheck', 'test']) {
    t.test(`npm run ${script} succeeds in the example`, async (t) => {
      const env = { ...createUserEnv(), CHROMIUM: CHROMIUM_SHELL }
      const failed = await run('npm', ['run', script], { cwd: dir, env }).then(
        () => '',
        ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
      )
      t.equal(failed, '')
    })
  }

  t.test('the example has the types that its build writes', async (t) => {
    const [path = ''] = walk(example).filter((path) => /(?:^|\/)hydrant-env\.d\.ts$/.test(path) && !WRITTEN.test(path))
    t.equal(readFileSync(join(dir, path), 'utf8'), readFileSync(join(example, path), 'utf8'))
  })
  return dir
}

/** Copies an example out of the repository, and links the packages that it depends on instead of installing them. */
async function copyExample(t: Test, example: string): Promise<string> {
  await installDocumentedPackages()
  const dir = join(createOutsideFolder(t, 'example-'), 'site')
  cpSync(example, dir, { recursive: true, filter: (path) => !WRITTEN.test(path) })
  linkDocumentedPackages(dir)
  const { dependencies, devDependencies } = readManifest(example)
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const link = join(dir, 'node_modules', name)
    if (existsSync(link)) continue
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(name === 'hydrant' ? process.cwd() : resolve('node_modules', name), link)
  }
  mkdirSync(join(dir, 'node_modules/.bin'))
  for (const [program, path] of Object.entries(PROGRAMS)) {
    const text = `#!/bin/sh\nexec '${process.execPath}' '${path}' "$@"\n`
    writeFileSync(join(dir, 'node_modules/.bin', program), text, { mode: 0o755 })
  }
  return dir
}

function readManifest(example: string): { dependencies: object; devDependencies: object } {
  // The manifest of an example has both lists.
  return JSON.parse(readFileSync(join(example, 'package.json'), 'utf8'))
}
