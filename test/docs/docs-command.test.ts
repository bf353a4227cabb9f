// `hydrant docs`, the chapters that it knows, and docs/llms.txt.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix, sep } from 'node:path'
import t from 'tap'
import { FOREIGN_NAMES, foreignPackageFix } from '../../scripts/build/discover/other-frameworks.ts'
import { formatLlms, nameOfPath, readChapter, readChapters } from '../../scripts/chapters.ts'
import { errorTable } from '../../src/server/errors/error-table.ts'
import { findFailing } from '../find-failing.ts'
import { runHere } from '../scripts/run-here.ts'

const chapters = readChapters()

t.test('each document is a chapter with a line about it, and has a name of its own', async (t) => {
  const files = readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll(sep, '/'))
  const documents = files.filter(
    (file) => file.endsWith('.md') && !/^(?:README\.md$|decisions\/|maintaining\/)/.test(file),
  )
  const examples = ['board', 'docs-site', 'existing-app', 'shop'].map((name) => `../examples/${name}/README.md`)
  t.strictSame(chapters.map(({ path }) => path).sort(), [...examples, ...documents].sort())
  t.equal(new Set(chapters.map(({ name }) => name)).size, chapters.length)
})

t.test('docs/llms.txt is up to date and lists each chapter', async (t) => {
  const text = readFileSync('docs/llms.txt', 'utf8')
  t.equal(text, formatLlms())
  const links = [...text.matchAll(/^- \[[^\]]+\]\((.+)\): \S/gm)].map(([, link = '']) => link)
  t.strictSame(
    links,
    chapters.map(({ path }) => path),
  )
  t.strictSame(
    links.filter((link) => !existsSync(posix.join('docs', link))),
    [],
  )
})

t.test('each chapter that an error names exists', async (t) => {
  const ofPackages = [
    'next/link',
    'react-router-dom',
    '@remix-run/node',
    '@tanstack/react-start/server',
    'vike-react/Head',
    '@fastify/react/client',
  ].map((name) => {
    return [name, foreignPackageFix(name) ?? ''] as const
  })
  t.match(foreignPackageFix('@/lib/books'), 'the alias "@/*" to "paths"')
  t.equal(foreignPackageFix('@scope/package'), undefined)
  const ofErrors = Object.entries(errorTable).map(([code, { fix }]) => [code, fix] as const)
  const fixes = [...ofErrors, ...FOREIGN_NAMES, ...ofPackages]
  t.strictSame(
    ofPackages.filter(([, fix]) => !/"hydrant docs/.test(fix)),
    [],
  )
  const named = fixes.flatMap(([code, fix]) =>
    [...fix.matchAll(/"hydrant docs ([^"]+)"/g)].map(([, name = '']) => [code, name]),
  )
  t.ok(named.length > 10)
  const names = chapters.map(({ name }) => name)
  t.strictSame(
    named.filter(([, name = '']) => !names.includes(name)),
    [],
  )
})

t.test('without words it lists all chapters', async (t) => {
  const { code, stdout, stderr } = await runHere(['docs'])
  t.strictSame([code, stderr], [0, ''])
  const lines = stdout.split('\n')
  const isListed = ({ name, description }: (typeof chapters)[number]) =>
    lines.some((line) => line.startsWith(`  ${name} `) && line.endsWith(`  ${description}`))
  t.ok(chapters.length > 0)
  t.strictSame(
    chapters.filter((chapter) => !isListed(chapter)),
    [],
  )
})

t.test('a chapter is printed by its name, path or title', async (t) => {
  const markdown = readFileSync('docs/guide/guards.md', 'utf8')
  for (const words of [['guards'], ['Guards'], ['guide/guards'], ['docs/guide/guards.md'], ['guards.md']])
    t.strictSame(await runHere(['docs', ...words]), { code: 0, stdout: markdown, stderr: '' }, words.join(' '))
  t.equal((await runHere(['docs', 'behind', 'a', 'proxy'])).stdout, readFileSync('docs/proxies/README.md', 'utf8'))
})

t.test('a heading leads to its section, with those below it', async (t) => {
  const { code, stdout } = await runHere(['docs', 'hyd_port_in_use'])
  t.equal(code, 0)
  t.match(stdout, /^### HYD_PORT_IN_USE\n/)
  t.equal(stdout.match(/^#/gm)?.length, 1)
  t.match((await runHere(['docs', 'HTML or JSON'])).stdout, /^## HTML or JSON\n/)
})

t.test('words lead to the sections that contain all of them, headings first', async (t) => {
  const { code, stdout } = await runHere(['docs', 'SESSION', 'cookie'])
  t.equal(code, 0)
  t.match(stdout, /^sessions/m)
  t.match(stdout, /\nRead one: hydrant docs \S+\n$/)
  t.same((await runHere(['docs', 'session cookie'])).stdout, stdout, 'in one argument too')
  t.match(
    (await runHere(['docs', 'port in use'])).stdout,
    /^errors: HYD_PORT_IN_USE\n/,
    'the heading with most of them first',
  )
})

t.test('an unknown word is an error that suggests a chapter', async (t) => {
  t.match(await runHere(['docs', 'gaurds']), {
    code: 1,
    stdout: '',
    stderr:
      'Error [HYD_DOCS_UNKNOWN] the documentation has nothing about "gaurds"; did you mean "guards"?\nTry: Run "hydrant docs"',
  })
  t.match(await runHere(['docs', 'qqxyzzy']), { code: 1, stderr: 'nothing about "qqxyzzy"\nTry: ' })
})

t.test('names come from paths', async (t) => {
  t.strictSame(['guide/guards.md', 'deploy/README.md', 'http.md'].map(nameOfPath), ['guards', 'deploy', 'http'])
  const startOf = (chapter: (typeof chapters)[number]) => readChapter(chapter).slice(0, 2)
  t.strictSame(await findFailing(chapters, startOf, () => '# '), [])
})
