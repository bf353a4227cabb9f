import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Command, Option } from 'commander'
import t from 'tap'
import { readCommands, writeBash, writeFish, writeZsh } from '../../scripts/commands/completion.ts'
import { runCli } from './run-cli.ts'
import { runHere } from './run-here.ts'

/** Asks bash for the completions of the last word, as it does when Tab is pressed. */
async function complete(script: string, words: readonly string[], cwd = '.'): Promise<string[]> {
  const ask = `source /dev/stdin <<< "$SCRIPT"
COMP_WORDS=(hydrant "$@"); COMP_CWORD=$#; _hydrant; printf '%s\\n' "\${COMPREPLY[@]}"`
  const env = { ...process.env, SCRIPT: script }
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', ask, 'bash', ...words], { env, cwd })
  return stdout.split('\n').filter(Boolean)
}

/** Returns the flags that the help of a command shows. */
async function flagsOf(command: string): Promise<string[]> {
  const { stdout } = await runHere([command, '--help'])
  return [...stdout.matchAll(/^ {2}(?:(-\w), )?(--[\w-]+)/gm)].flatMap(([, short, long]) =>
    [short, long].filter((form) => form !== undefined),
  )
}

t.test('bash completes commands, flags, values and folders', async (t) => {
  const { stdout: script, code } = await runCli(['completion', 'bash'])
  t.equal(code, 0)
  const { stdout: help } = await runHere(['--help'])
  const commands = [
    ...help.slice(help.indexOf('Commands:'), help.indexOf('Examples:')).matchAll(/^ {2}(\w+) .*\S {2,}\S/gm),
  ].map(([, name]) => name)
  t.ok(commands.length > 5)
  t.strictSame(await complete(script, ['']), commands)
  t.strictSame(await complete(script, ['st']), ['start'])
  t.strictSame(await complete(script, ['--v']), ['--version'])
  for (const name of ['dev', 'build', 'start', 'errors', 'info', 'completion'])
    t.strictSame(await complete(script, [name, '-']), await flagsOf(name), name)
  t.strictSame(await complete(script, ['dev', '--log-level', 'd']), ['debug'])
  t.strictSame(await complete(script, ['dev', '--log-level', '=', 'tr']), ['trace'], 'bash splits at =')
  t.strictSame(await complete(script, ['errors', '--side', '=']), ['server', 'client'])
  t.strictSame(await complete(script, ['completion', '']), ['bash', 'zsh', 'fish'])
  t.strictSame(await complete(script, ['help', 'bu']), ['build'])
  t.strictSame(await complete(script, ['dev', '--port', '']), [])

  const dir = t.testdir({})
  mkdirSync(join(dir, 'my site'))
  writeFileSync(join(dir, 'my.db'), '')
  t.strictSame(await complete(script, ['dev', 'my'], dir), ['my site'])
  t.strictSame((await complete(script, ['errors', '--ledger', 'my'], dir)).sort(), ['my site', 'my.db'])
})

t.test('the scripts for zsh and fish name every command and flag', async (t) => {
  const [zsh, fish] = await Promise.all(['zsh', 'fish'].map((shell) => runHere(['completion', shell])))
  for (const name of ['dev', 'build', 'start', 'errors', 'info', 'completion']) {
    const flags = await flagsOf(name)
    t.ok(flags.length > 0)
    const inFish = flags.map((flag) => flag.replace(/^-(-?)/, (_, long) => (long ? ' -l ' : ' -s ')).concat(' '))
    const isMissing = (script: string | undefined) => (text: string) => !script?.includes(text)
    t.strictSame([`'${name}:`, ...flags].filter(isMissing(zsh?.stdout)), [])
    t.strictSame([` -a ${name} -d `, ...inFish].filter(isMissing(fish?.stdout)), [])
  }
})

for (const [shell, args] of [
  ['bash', ['-n']],
  ['zsh', ['-n']],
  ['fish', ['--no-execute']],
] as const) {
  t.test(`${shell} can read its script`, async (t) => {
    const { stdout } = await runHere(['completion', shell])
    const file = join(t.testdir({}), 'script')
    writeFileSync(file, stdout)
    t.match(spawnSync(shell, [...args, file], { encoding: 'utf8' }), { status: 0, stderr: '' })
  })
}

t.test('quotes and brackets in descriptions stay texts, and new commands need no change', async (t) => {
  const program = new Command('hydrant')
  program
    .command('new')
    .description("it's [new]: $HOME")
    .argument('[template]')
    .addOption(new Option('--kind <kind>', "a 'kind' [x]").choices(['a', 'b']))
  const commands = readCommands(program)
  t.match(writeZsh(commands), "'new:it'\\''s [new]: $HOME'")
  t.match(writeZsh(commands), "'--kind''[a '\\''kind'\\'' \\[x\\]]:value:(a b)'")
  t.match(writeFish(commands), "-a new -d 'it\\'s [new]: $HOME'")
  t.match(writeFish(commands), "-l kind -r -f -a 'a b' -d 'a \\'kind\\' [x]'")
  t.strictSame(await complete(writeBash(commands), ['new', '--kind', '']), ['a', 'b'])
})

t.test('refuses an unknown shell, and suggests no script', async (t) => {
  const { code, stdout, stderr } = await runHere(['completion', 'tcsh'])
  t.equal(code, 2)
  t.equal(stdout, '')
  t.match(stderr, 'Allowed choices are bash, zsh, fish')
})
