// Follows a chapter of docs/guide as a reader does: writes each file, runs each command, and compares the output.

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { copyPackages } from '../package/copy-packages.ts'
import { until } from '../until.ts'
import type { CodeBlock } from './code/code-block.ts'
import { type RunningCommand, startCommand } from './start-command.ts'

const run = promisify(execFile)

export interface Reader {
  /** The folder in which the commands run. */
  folder: string
  /** The tarball of the package that `npm install hydrant` installs. */
  tarball: string
  /** A folder in which npm has installed the package. */
  packages: string
  env: NodeJS.ProcessEnv
  server: RunningCommand | null
  /** Whether `hydrant dev` is the server. */
  isDev: boolean
  /** Whether a file was written after the server was started or has taken the files over. */
  isOutdated: boolean
  /** Whether a command has begun with `npx`. */
  hasUsedNpx: boolean
}

/** Follows the blocks of a chapter. A block that is neither a file, a command nor the output of one is an error. */
export async function followChapter(t: Test, blocks: readonly CodeBlock[], reader: Reader): Promise<void> {
  let output: string | null = null
  for (const block of blocks) {
    if (block.path !== '') {
      // `hydrant dev` reports a server file without a page.
      const [owner] = block.path.split('.server.')
      if (/^pages\/.*\.server\.tsx?$/.test(block.path))
        t.ok(existsSync(join(reader.folder, `${owner}.tsx`)), `${block.path} is written after its page`)
      writeBlock(block, reader)
      output = null
    } else if (block.language === 'sh') {
      output = await runCommands(block.text, reader)
    } else if (block.language === 'text' && output !== null) {
      checkOutput(t, block.text, output)
      output = null
    } else {
      t.fail(`This block is neither a file, nor a command, nor the output of the command before it:\n${block.text}`)
    }
  }
}

function writeBlock({ path, text }: CodeBlock, reader: Reader) {
  const file = join(reader.folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  reader.isOutdated = true
}

async function runCommands(text: string, reader: Reader): Promise<string> {
  let output = ''
  for (const line of text.trim().split('\n')) {
    const command = line.replace(/\s+#.*$/, '')
    if (/^npx hydrant (dev|start)$/.test(command)) await restart(command, reader)
    else output += await runCommand(command, reader)
  }
  return output
}

async function restart(command: string, reader: Reader) {
  await reader.server?.stop()
  reader.server = await startCommand(shortenNpx(command, reader), {
    cwd: reader.folder,
    env: { ...reader.env, PORT: '0' },
  })
  reader.isDev = command.endsWith(' dev')
  reader.isOutdated = false
}

/** Waits until `hydrant dev` serves the written files. It takes them over in their order, so a page is written last. */
async function awaitUpdate(reader: Reader, origin: string) {
  const mark = randomUUID()
  writeFileSync(join(reader.folder, 'pages/updated.tsx'), `export default () => <p>${mark}</p>\n`)
  await until(async () => (await (await fetch(`${origin}/updated`)).text()).includes(mark))
  reader.isOutdated = false
}

async function runCommand(command: string, reader: Reader): Promise<string> {
  const folder = /^cd (\S+)$/.exec(command)
  if (folder) {
    reader.folder = join(reader.folder, folder[1] ?? '')
    return ''
  }
  const { cwd, ...env } = { cwd: reader.folder, ...reader.env }
  const { stdout } = await run('bash', ['--norc', '-e', '-o', 'pipefail', '-c', await toRunnable(command, reader)], {
    cwd,
    env,
  })
  return `${stdout}\n`
}

/**
 * Returns the command with the package under test instead of the published one, and with the port of the server under
 * test.
 */
async function toRunnable(command: string, reader: Reader): Promise<string> {
  if (command.startsWith('npm install hydrant ')) {
    // npm takes the files of the packages from there, and removes those that the command does not name.
    await copyPackages(reader.packages, reader.folder)
    return command.replace(' hydrant ', ` ${reader.tarball} `)
  }
  if (!command.startsWith('curl ')) return shortenNpx(command, reader)
  if (reader.server === null) throw new Error(`The guide has started no server for: ${command}`)
  if (!reader.isDev) await restart('node_modules/.bin/hydrant dev', reader)
  if (reader.isOutdated) await awaitUpdate(reader, reader.server.origin)
  return command.replaceAll('http://localhost:3000', reader.server.origin)
}

/** npx starts the program of this path. It takes as long as a build, so only the first command really starts it. */
function shortenNpx(command: string, reader: Reader): string {
  const shortened = reader.hasUsedNpx ? command.replace(/^npx /, 'node_modules/.bin/') : command
  reader.hasUsedNpx ||= command.startsWith('npx ')
  return shortened
}

/** Checks that the lines of `expected` appear in this order. `…` stands for any text. */
function checkOutput(t: Test, expected: string, output: string) {
  const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const lines = expected.trim().split('\n')
  const pattern = lines.map((line) => line.split('…').map(escaped).join('[\\s\\S]*?')).join('[\\s\\S]*?')
  // React separates neighboring texts with an empty comment.
  t.match(output.replaceAll('<!-- -->', ''), new RegExp(pattern), expected)
}
