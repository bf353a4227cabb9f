// Reads the configuration, data and messages that the documents show.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { parseAllDocuments } from 'yaml'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from '../../proxy/certificate.ts'
import { nginxMain } from '../../proxy/documented.ts'
import { NGINX } from '../../tools.ts'
import { isApp } from './check-apps.ts'
import { type CodeBlock, placeOf } from './code-block.ts'
import { messagePattern } from './message-pattern.ts'
import { isSiteFile } from './sample-sites.ts'

/** Returns the problem of a text, and its line in the text if that is known. */
type Check = (text: string) => Promise<Problem | null> | Problem | null
interface Problem {
  line?: number
  message: string
}

/** Checks by file extension, file name or language. */
const CHECKS: Readonly<Record<string, Check>> = {
  json: checkJson,
  css: checkCss,
  yaml: checkYaml,
  nginx: checkNginx,
  ini: checkUnit,
  service: checkUnit,
  Dockerfile: checkDockerfile,
  http: checkHttp,
  promql: checkPromql,
  text: checkMessages,
  '': checkMessages,
}
/** Languages whose blocks other tests run: the commands of the documents, and those of the page for scripts. */
const RUN = ['sh', 'python']

/**
 * Files with a test of their own: `test/docs/fix-prompt.release.test.ts`, `test/browser/storybook.browser.test.ts`,
 * `test/docs/test-runners.release.test.ts`, `test/docs/code-sites.release.test.ts`.
 */
const TESTED_FILES = [
  'fix-prompt.js',
  '.storybook/main.js',
  '.storybook/preview.tsx',
  'e2e/notes.spec.ts',
  'migrate.js',
  'playwright.config.ts',
  'public/offline.html',
  'public/old-worker.js',
  'public/sw.js',
  'test/notes.spec.ts',
  'test/notes.tap.js',
  'test/notes.test.js',
  'vite.config.js',
  'vitest.config.ts',
]

/** Returns the problem of a block, with its place in the document, if it has one. */
export async function findFormatProblems(block: CodeBlock): Promise<string[]> {
  const unknown = findUnknownVariable(block.text)
  if (unknown !== null) return [`${placeOf(block)}: ${unknown}`]
  if (isSiteFile(block) || isApp(block) || TESTED_FILES.includes(block.path)) return []
  if (block.path.startsWith('examples/')) return isSameFile(block) ? [] : [`${placeOf(block)}: ${block.path} differs`]
  const check = CHECKS[kindOf(block)]
  if (check === undefined) {
    return RUN.includes(block.language) ? [] : [`${placeOf(block)}: no test knows "${kindOf(block)}". ${ADVICE}`]
  }
  const problem = await check(block.text)
  return problem === null ? [] : [`${placeOf(block, problem.line)}: ${problem.message}`]
}

const ADVICE =
  'Name the file in its first line or after the language of the fence, write "fragment" there, or add a check.'

/** Says whether a document shows a file of this repository as it is. */
function isSameFile({ path, text }: CodeBlock): boolean {
  return existsSync(path) && readFileSync(path, 'utf8') === text
}

function kindOf({ path, language }: CodeBlock): string {
  const name = /[^./]+$/.exec(path)?.[0] ?? ''
  return Object.hasOwn(CHECKS, name) && name !== '' ? name : language
}

function findUnknownVariable(text: string): string | null {
  for (const name of text.match(/\bHYDRANT_[A-Z_]+/g) ?? []) {
    try {
      resolveOptions({ env: { [name]: '' } })
    } catch (error) {
      return String(error)
    }
  }
  return null
}

function checkJson(text: string): Problem | null {
  return failureOf(() => JSON.parse(text))
}

async function checkCss(text: string): Promise<Problem | null> {
  const { warnings } = await transform(text, { loader: 'css' })
  const [first] = warnings
  return first === undefined ? null : { line: first.location?.line ?? 1, message: first.text }
}

function checkYaml(text: string): Problem | null {
  const [error] = parseAllDocuments(text).flatMap(({ errors }) => errors)
  return error === undefined ? null : { line: error.linePos?.[0].line ?? 1, message: error.message }
}

/** Puts the text where nginx expects it: servers into `http`, everything else into a server. */
function checkNginx(text: string): Problem | null {
  const folder = mkdtempSync(join(tmpdir(), 'hydrant-nginx-'))
  const certificate = join(folder, 'certificate.pem')
  writeFileSync(certificate, CERTIFICATE + CERTIFICATE_KEY)
  const http = [
    `ssl_certificate ${certificate}; ssl_certificate_key ${certificate};`,
    'upstream shop { server 127.0.0.1:3000; }',
    /^server \{/m.test(text) ? text : `server {\n${text}\n}`,
  ]
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, nginxMain(folder, http.join('\n')))
  const { status, stderr } = spawnSync(NGINX, ['-t', '-p', folder, '-c', file, '-e', 'stderr'], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  return status === 0 ? null : { message: stderr }
}

/** Checks a unit of systemd. */
function checkUnit(text: string): Problem | null {
  for (const [index, line] of text.split('\n').entries()) {
    if (!/^(?:|#.*|\[\w+\]|\w+=.*)$/.test(line)) return { line: index + 1, message: `systemd cannot read "${line}"` }
    const [, pairs = ''] = /^Environment=(.*)$/.exec(line) ?? []
    const env = Object.fromEntries(pairs.split(' ').map((pair) => pair.split('=')))
    const problem = failureOf(() => resolveOptions({ env }))
    if (problem !== null) return { ...problem, line: index + 1 }
  }
  return null
}

function checkDockerfile(text: string): Problem | null {
  const index = text.split('\n').findIndex((line) => !/^(?:|(?:FROM|WORKDIR|COPY|RUN|ENV|USER|CMD) .+)$/.test(line))
  return index === -1 ? null : { line: index + 1, message: 'this is no instruction that the tests know' }
}

function checkHttp(text: string): Problem | null {
  const [head = '', body = ''] = text.split(/\n\n(.*)/s)
  if (!/^HTTP\/1\.1 \d{3} [\w ]+(?:\n[\w-]+: .+)*$/.test(head)) return { message: 'the status or a header is wrong' }
  return failureOf(() => JSON.parse(body))
}

/** Checks that the metrics exist. docs/console.md lists them all, as another test checks. */
function checkPromql(text: string): Problem | null {
  const documented = readFileSync('docs/console.md', 'utf8')
  const names = text.match(/hydrant_\w+/g) ?? []
  const unknown = names
    .map((name) => name.replace(/_(?:bucket|sum|count)$/, ''))
    .find((name) => !documented.includes(name))
  return unknown === undefined ? null : { message: `there is no metric ${unknown}` }
}

/** Checks that the codes and words of errors are those of the table. */
function checkMessages(text: string): Problem | null {
  for (const [index, line] of text.split('\n').entries()) {
    const [, code = ''] = /^Error \[(HYD_\w+)\]/.exec(line) ?? []
    if (code !== '' && !messagePattern(code).test(line)) {
      return { line: index + 1, message: `this is not the message of ${code}` }
    }
  }
  return /^HTTP\/1\.1 /.test(text) ? checkHttp(text) : null
}

function failureOf(run: () => unknown): Problem | null {
  try {
    run()
    return null
  } catch (error) {
    return { message: String(error) }
  }
}
