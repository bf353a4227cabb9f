import { readFileSync } from 'node:fs'
import t from 'tap'
import { runHere } from '../scripts/run-here.ts'

// Tests run in the project's folder.
const [, ...sections] = readFileSync('docs/commands.md', 'utf8').split(/^## /m)
const help = async (...words: string[]) => (await runHere([...words, '--help'])).stdout
const program = await help()
const list = program.slice(program.indexOf('Commands:'), program.indexOf('Examples:'))
const commands = [...list.matchAll(/^ {2}(\w+) .*\S {2,}\S/gm)]
  .map(([, name = '']) => name)
  .filter((name) => name !== 'help')

t.test('every command has a heading, and every such heading is a command', async (t) => {
  const headings = sections.flatMap((section) => /^hydrant (\w+)\n/.exec(section)?.[1] ?? [])
  t.strictSame(headings, commands)
})

t.test('the list has the usage of each command', async (t) => {
  for (const command of commands) t.match(list, `\n  ${/^Usage: hydrant (.*)$/m.exec(await help(command))?.[1]}  `)
})

for (const command of commands) {
  t.test(`the usage and the flags of hydrant ${command} are those of its help`, async (t) => {
    const section = sections.find((text) => text.startsWith(`hydrant ${command}\n`)) ?? ''
    const text = await help(command)
    t.equal(/```\n(.*)\n```/.exec(section)?.[1], /^Usage: (.*)$/m.exec(text)?.[1])
    const flags = [...text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = '']) => flag)
    const named = [...section.matchAll(/`(--[\w-]+)`/g)].map(([, flag = '']) => flag)
    t.strictSame([...new Set([...named, '--help'])].sort(), flags.sort())
  })
}
