// The parts of the reference documents that the build writes from tables.

import { readFileSync } from 'node:fs'
import t from 'tap'
import { filledDocuments } from '../../scripts/package/reference.ts'
import { BUILD_OPTIONS } from '../../src/server/options/resolve-options.ts'
import { runHere } from '../scripts/run-here.ts'

for (const [path, fill] of Object.entries(filledDocuments)) {
  t.test(`${path} is up to date`, async (t) => {
    const text = readFileSync(path, 'utf8')
    t.equal(fill(text), text)
  })

  t.test(`${path} names everything of its table`, async (t) => {
    t.throws(() => fill('# Nothing\n'), new RegExp(`${path} has nothing about `))
  })
}

t.test('what differs from the tables is replaced', async (t) => {
  for (const [path, wrong] of [
    ['docs/options.md', /\d+(?=`\n)/],
    ['docs/limits.md', /\b10 s\b/],
    ['docs/commands.md', /TCP port/],
  ] as const) {
    const text = readFileSync(path, 'utf8')
    t.not(text.replace(wrong, 'wrong'), text, path)
    t.equal(filledDocuments[path]?.(text.replace(wrong, 'wrong')), text, path)
  }
})

t.test('a heading that is no option, or no command, is refused', async (t) => {
  const add = (path: string, heading: string) => filledDocuments[path]?.(`${readFileSync(path, 'utf8')}\n${heading}`)
  t.throws(() => add('docs/options.md', '### prot\n\nText.\n'), { message: /prot/ })
  t.throws(() => add('docs/commands.md', '## hydrant bild\n\n```\nhydrant bild\n```\n'), { message: /bild/ })
})

t.test('the options of the build have a heading', async (t) => {
  const text = readFileSync('docs/options.md', 'utf8')
  t.ok(BUILD_OPTIONS.length > 0)
  t.strictSame(
    BUILD_OPTIONS.filter((name) => !text.includes(`\n### ${name}\n`)),
    [],
  )
})

t.test('the help lists the usage of each command', async (t) => {
  const { stdout } = await runHere(['--help'])
  const usages = [...readFileSync('docs/commands.md', 'utf8').matchAll(/^## .*\n\n```\nhydrant (.*)$/gm)]
  t.ok(usages.length > 8)
  for (const [, usage = ''] of usages) t.match(stdout, `\n  ${usage}  `)
})
