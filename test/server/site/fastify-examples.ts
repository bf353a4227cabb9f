// Runs the examples of Fastify's documentation in a Fastify instance and in the `server.ts` of a site, and compares what
// they do: the responses, what their code has recorded, and how a start fails. A chapter has a test file in the folder
// of the same name, with a table that names all blocks of code of the chapter.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createConnection, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { transform } from 'esbuild'
import Fastify, { type FastifyInstance, type FastifyServerOptions, type InjectOptions } from 'fastify'
import fp from 'fastify-plugin'
import type { Test } from 'tap'
import { createServer } from '../../../src/server/create-server.ts'
import { hydrant } from '../../../src/server/plugin.ts'
import { createLog, type Log } from '../served.ts'
import { ADDED, buildBesideFastify } from './beside-fastify.ts'
import { type Differs, expectedInSite, isSame, type Outcome, show } from './fastify-differences.ts'

/** What a block needs so that it runs and shows something. All code has `fastify`, `require`, `console` and `seen`. */
export interface Example {
  /** Code before the block. The block may declare the same names again. */
  before?: string
  /** Code after the block, which has the block's variables. */
  after?: string
  /** Parts of the block that are no code, such as `...`, and their replacements. */
  edit?: Record<string, string>
  /** Values of modules that are not installed, as expressions. */
  modules?: Record<string, string>
  requests?: readonly (string | InjectOptions | Connect)[]
  /** A part of the error with which the start fails. */
  fails?: string
  /** Log messages to compare. */
  logs?: RegExp
  /** Whether the block creates an app with options. Then the site is in this app, and not the block in `server.ts`. */
  app?: boolean
  /**
   * Whether Fastify itself does something else in a scope, as `server.ts` is, than at the top. Then the comparison is with a
   * scope.
   */
  inScope?: boolean
  /** The rows of "What differs" in docs/app.md that apply, for all requests or these. They say what the site does. */
  differs?: Differs
}

/** A GET request with a connection of its own to a server that listens. The client leaves after 100 ms. */
export interface Connect {
  connect: string
}

/** The blocks of a chapter, by heading and number. A block that does not run has a sentence that says why. */
export type Examples = Record<string, Example | { not: string }>

interface Block {
  code: string
  isTyped: boolean
}

export const DOCS = 'node_modules/fastify/docs'
const FENCE = /^((?:> ?| )*)```(\w*)/
const SCRIPTS = ['js', 'javascript', 'mjs', 'cjs']
const TYPED = ['ts', 'typescript']

/** Tests the blocks of a chapter such as `Reference/Hooks`. */
export async function testChapter(t: Test, chapter: string, examples: Examples) {
  const blocks = readBlocks(readFileSync(`${DOCS}/${chapter}.md`, 'utf8'))
  t.strictSame(Object.keys(examples).sort(), [...blocks.keys()].sort(), `${chapter}: the table has all blocks`)
  const dir = await buildBesideFastify(t.testdir({}))
  const faults: string[] = []
  for (const [id, example] of Object.entries(examples)) {
    const block = blocks.get(id)
    if (!block || 'not' in example) continue
    const name = `${chapter} ${id}`
    try {
      faults.push(...(await compareExample(dir, name, block, example)))
    } catch (error) {
      faults.push(`${name}: ${error}`)
    }
  }
  t.strictSame(faults, [], `${chapter}: the examples do the same in server.ts`)
}

/** A request with a body: JSON, or text of another type. */
export const post = (url: string, payload: object | string = {}, type = 'application/json') => ({
  method: 'POST' as const,
  url,
  payload,
  headers: { 'content-type': type },
})

/** Returns the blocks of JavaScript and TypeScript, by the heading above and the number below it. */
export function readBlocks(markdown: string): Map<string, Block> {
  const blocks = new Map<string, Block>()
  const counts = new Map<string, number>()
  let heading = ''
  let open: { indent: number; language: string; lines: string[] } | undefined
  for (const line of markdown.split('\n')) {
    const fence = FENCE.exec(line)
    if (open === undefined) {
      heading =
        /^#+ +(.*)/
          .exec(line)?.[1]
          ?.replace(/<a .*|[`\\]/g, '')
          .trim() ?? heading
      if (fence) open = { indent: fence[1]?.length ?? 0, language: fence[2] ?? '', lines: [] }
    } else if (fence?.[2] === '') {
      if ([...SCRIPTS, ...TYPED].includes(open.language)) {
        const count = (counts.get(heading) ?? 0) + 1
        counts.set(heading, count)
        blocks.set(`${heading} ${count}`, { code: open.lines.join('\n'), isTyped: TYPED.includes(open.language) })
      }
      open = undefined
    } else open.lines.push(line.slice(open.indent))
  }
  return blocks
}

async function compareExample(dir: string, name: string, block: Block, example: Example): Promise<string[]> {
  const code = await compile(block, example)
  const plain = await run(code, example, undefined)
  const without = await runWithout(block, example)
  const site = await run(code, example, dir)
  const start = plain.outcomes[0]
  const wrong = [...new Set(plain.log.lines.flatMap(({ err }) => mistakeIn(err)))]
  const faults = wrong.map((mistake) => `it makes a mistake: ${mistake}`)
  if (start?.body !== undefined && !(example.fails && start.body.includes(example.fails)))
    faults.push(`its start fails: ${start.body}`)
  else if (example.fails && start?.body === undefined) faults.push('its start does not fail')
  if (plain.outcomes.some(({ body }) => body === NO_RESPONSE)) faults.push('a request gets no response')
  if (isSame(plain.outcomes, without?.outcomes)) faults.push('the same happens without the block')
  const expected = expectedInSite(plain.outcomes, site.outcomes, example.differs)
  if (example.differs && isSame(plain.outcomes, site.outcomes)) faults.push('nothing differs')
  if (!isSame(expected, site.outcomes))
    for (let index = 0; index < Math.max(expected.length, site.outcomes.length); index++)
      if (!isSame(expected[index], site.outcomes[index]))
        faults.push(`\n  expected ${show(expected[index])}\n  site     ${show(site.outcomes[index])}`)
  return faults.map((fault) => `${name}: ${fault}`)
}

/** Runs what is around a block; null if it is no code without it. */
async function runWithout(block: Block, example: Example): Promise<Run | null> {
  const code = await compile({ ...block, code: '' }, { ...example, edit: {} }).catch(() => null)
  return code && run(code, example, undefined)
}

/** Says whether an error shows that an example lacks something, rather than what it shows. */
function mistakeIn(error: unknown): string[] {
  const { type, message } = (error ?? {}) as { type?: string; message?: string }
  const isMistake = type === 'ReferenceError' || type === 'AssertionError' || /is not a function/.test(message ?? '')
  return isMistake ? [String(message)] : []
}

type Code = (...values: unknown[]) => Promise<void>
// The cast is safe because the constructor of an async function has this form.
const AsyncFunction = (async () => {}).constructor as new (...words: string[]) => Code
const NAMES = 'fastify app instance server require imported console module exports process seen'.split(' ')
/** Comments that stand for code. They record that they were reached. */
const PLACEHOLDER = /\/\/ ?(?:some|your)(?: async)? code.*/gi

async function compile({ code, isTyped }: Block, { before = '', after = '', edit = {} }: Example): Promise<Code> {
  let text = code
  for (const [from, to] of Object.entries(edit)) {
    if (!text.includes(from)) throw new Error(`The block has no ${from}`)
    text = text.replaceAll(from, to)
  }
  let count = 0
  text = text.replace(PLACEHOLDER, () => `;seen('code ${++count}');`)
  if (isTyped) text = await withoutTypes(text)
  return new AsyncFunction(...NAMES, `{\n${before}\n{\n${withoutModules(text)}\n${after}\n}\n}`)
}

async function withoutTypes(text: string): Promise<string> {
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } }
  return (await transform(text, { loader: 'ts', target: 'esnext', tsconfigRaw })).code
}

/** Rewrites imports and exports, which a function cannot have. */
function withoutModules(text: string): string {
  return text
    .replace(/^import +(?:([\w$]+),? *)?(\{[^}]*\}|\* as [\w$]+)? *(?:from +)?(['"][^'"]+['"]);?/gm, (...parts) => {
      const [, main, names = '', from] = parts.map((part) => part as string | undefined)
      const all = names.startsWith('*') ? `const ${names.slice(5)} = await imported(${from});` : ''
      const some = names.startsWith('{') ? `const ${names.replaceAll(' as ', ': ')} = await imported(${from});` : ''
      const one = main === undefined ? '' : `const { default: ${main} } = await imported(${from});`
      return `${one}${all}${some}` || `await imported(${from});`
    })
    .replace(/\bimport\(/g, 'imported(')
    .replace(/^export default /gm, 'module.exports = ')
    .replace(/^export \{[^}]*\};?/gm, '')
    .replace(/^export /gm, '')
}

interface Run {
  log: Log
  outcomes: Outcome[]
}

/** Runs code in a Fastify instance, or in the site in a folder. */
async function run(code: Code, example: Example, dir: string | undefined): Promise<Run> {
  const log = createLog()
  const outcomes: Outcome[] = []
  let seen: string[] = []
  const record = (...values: unknown[]) => void seen.push(values.map(describe).join(' '))
  function add(outcome: Omit<Outcome, 'seen'>) {
    const lines = log.lines.splice(0)
    const logged = lines.filter(({ msg }) => example.logs?.test(String(msg)))
    outcomes.push({ ...outcome, seen: [...seen, ...logged.map(describeLine)] })
    all.push(...lines)
    seen = []
  }
  const all: Log['lines'] = []
  let app: FastifyInstance | undefined
  try {
    app = await (example.app ? startOwn : dir === undefined ? startPlain : startSite)(code, {
      example,
      dir,
      record,
      log,
    })
    await settle()
    add({ of: 'start' })
  } catch (error) {
    // The name of a function without a name has a number.
    add({ of: 'start', body: String(error).replace(/-auto-\d+/g, '-auto') })
  }
  if (app) {
    for (const request of example.requests ?? []) {
      if (typeof request === 'object' && 'connect' in request) {
        await connect(app, request)
        add({ of: show(request) })
        continue
      }
      const response = await withinSecond(app.inject(request))
      if (response === undefined) {
        add({ of: show(request), body: NO_RESPONSE })
        continue
      }
      const { statusCode, headers, body, trailers } = response
      // A response that sets a cookie is kept out of shared caches.
      const added = 'set-cookie' in headers ? [...ADDED, 'cache-control'] : ADDED
      const others = Object.entries(headers).filter(([header]) => !added.includes(header))
      await settle()
      add({ of: show(request), status: statusCode, headers: [...others, ...Object.entries(trailers)].sort(), body })
    }
    await app.close()
    add({ of: 'end' })
  }
  return { log: { ...log, lines: all }, outcomes }
}

async function connect(app: FastifyInstance, { connect: url }: Connect) {
  if (!app.server.listening)
    await Reflect.apply(ownListen.get(app) ?? app.listen, app, [{ port: 0, host: '127.0.0.1' }])
  // The cast is safe because the server has a port.
  const socket = createConnection((app.server.address() as AddressInfo).port, '127.0.0.1')
  const [peer] = (await once(app.server, 'connection')) as [Socket]
  socket.on('error', () => {}).write(`GET ${url} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await sleep(100)
  socket.destroy()
  if (!peer.closed) await once(peer, 'close')
  await sleep(20)
}

const NO_RESPONSE = 'There is no response.'

async function withinSecond<Value>(value: Promise<Value>): Promise<Value | undefined> {
  const over = new AbortController()
  try {
    return await Promise.race([value, sleep(1000, undefined, { signal: over.signal })])
  } finally {
    over.abort()
  }
}

/** Waits for hooks that run after a response, and for what code does without waiting. A busy machine needs turns, not time. */
async function settle() {
  await sleep(2)
  for (let turn = 0; turn < 50; turn++) await nextTurn()
}

interface Start {
  example: Example
  dir: string | undefined
  record(...values: unknown[]): void
  log: Log
}

async function startPlain(code: Code, start: Start): Promise<FastifyInstance> {
  const app = Fastify({ logger: start.log.logger })
  const { plugin, finished } = pluginOf(code, start)
  app.register(start.example.inScope ? plugin : fp(plugin))
  await app.ready()
  await finished()
  return app
}

async function startSite(code: Code, start: Start): Promise<FastifyInstance> {
  const { plugin, finished } = pluginOf(code, start)
  Object.assign(globalThis, { hydrantTestPlugin: plugin })
  const app = await createServer({ dir: start.dir ?? '', ledger: false, logger: start.log.logger })
  await finished()
  return app
}

/** Runs code that creates its app, and adds the site to it, after the routes of the app. */
async function startOwn(code: Code, start: Start): Promise<FastifyInstance> {
  const apps: FastifyInstance[] = []
  // The site has no plugin of its own here.
  Object.assign(globalThis, { hydrantTestPlugin() {} })
  const create = (options: FastifyServerOptions = {}) => {
    const app = Fastify({ ...options, ...loggerOf(options, start.log) })
    let isMounted = start.dir === undefined
    function mount() {
      if (!isMounted) app.register(hydrant, { dir: start.dir ?? '', ledger: false })
      isMounted = true
    }
    // Routes of the app come before those of the site.
    withoutListening(app, mount)
    apps.push(app)
    return app
  }
  await code(...valuesOf(undefined, create, start))
  const app = apps.at(-1)
  if (!app) throw new Error('The block creates no app.')
  for (const other of apps.slice(0, -1)) app.addHook('onClose', () => other.close())
  await app.ready()
  return app
}

/** Returns the logger that code asks for, if it writes to its own stream, or one that writes to the log. */
function loggerOf({ logger, loggerInstance }: FastifyServerOptions, log: Log): FastifyServerOptions {
  if (loggerInstance) return {}
  if (typeof logger !== 'object') return { logger: log.logger }
  const { file, transport, ...others } = logger
  return { logger: { ...log.logger, ...others } }
}

/**
 * Returns a plugin that runs code. The plugin ends when the code has ended, or when it waits for the instance to be
 * ready, which happens after all plugins.
 */
function pluginOf(code: Code, start: Start) {
  let finished = Promise.resolve()
  async function plugin(instance: FastifyInstance) {
    const released = new Promise<void>((resolve) => withoutListening(instance, resolve))
    const create = (options: object = {}) => {
      const own = Object.keys(options).filter((name) => name !== 'logger')
      if (own.length > 0) throw new Error(`The block needs an app of its own, for its options ${own}.`)
      return instance
    }
    finished = code(...valuesOf(instance, create, start))
    finished.catch(() => {})
    await Promise.race([finished, released])
  }
  return { plugin, finished: () => finished }
}

/** The methods that code does not reach. */
const ownListen = new WeakMap<FastifyInstance, FastifyInstance['listen']>()
const ADDRESS = 'http://127.0.0.1:3000'

/** Makes `listen` wait only for the start. `release` is called when the code begins to wait for it. */
function withoutListening(instance: FastifyInstance, release: () => void) {
  const { ready, inject, close } = instance
  ownListen.set(instance, instance.listen)
  let ended: Promise<unknown> | undefined
  const methods = {
    inject,
    close,
    listen,
    // A scope can only wait once.
    ready(...words: never[]): Promise<unknown> {
      if (words.length > 0) return Reflect.apply(ready, instance, words)
      const end: Promise<unknown> = ended ?? Reflect.apply(ready, instance, [])
      ended = end
      return end
    },
  }
  async function listen(...words: unknown[]) {
    const done = words.at(-1)
    const listening = methods.ready().then(() => ADDRESS)
    if (typeof done !== 'function') return listening
    listening.then(
      () => done(null, ADDRESS),
      (error: unknown) => done(error),
    )
  }
  for (const [name, method] of Object.entries(methods))
    Object.assign(instance, {
      [name](this: FastifyInstance, ...words: never[]) {
        release()
        return Reflect.apply(method, this, words)
      },
    })
}

const { Console } = console

/** Returns the values of `NAMES`. */
function valuesOf(instance: FastifyInstance | undefined, create: (options?: object) => FastifyInstance, start: Start) {
  const { example, record } = start
  // `new Fastify()` works, too.
  function factory(options?: object) {
    return create(options)
  }
  Object.assign(factory, Fastify, { default: factory, fastify: factory })
  const load = createRequire(import.meta.url)
  const module = { exports: {} }
  const values = new Map<string, unknown>([['fastify', factory]])
  const stubOf = (name: string) => {
    const text = example.modules?.[name]
    if (text === undefined || values.has(name)) return values.get(name)
    const value: unknown = new Function('seen', 'require', `return (${text})`)(record, require)
    values.set(name, value)
    return value
  }
  function require(name: string): unknown {
    return stubOf(name) ?? load(name)
  }
  async function imported(name: string) {
    const value = stubOf(name)
    return value === undefined ? import(name) : Object.assign({ default: value }, value)
  }
  const write = { log: record, info: record, warn: record, error: record, debug: record, Console }
  const ownProcess = Object.assign(Object.create(process), { exit: (status: unknown) => record('exit', status) })
  return [instance, instance, instance, instance, require, imported, write, module, module.exports, ownProcess, record]
}

const PASSING = ['level', 'msg', 'time', 'pid', 'hostname', 'reqId', 'responseTime', 'err']

/** Returns the text of a log line without what differs between two runs. */
function describeLine(line: Log['lines'][number]): string {
  const fields = Object.entries(line).filter(([name]) => !PASSING.includes(name))
  return [`log ${line.level} ${line.msg}`, ...fields.map(([name, value]) => `${name}: ${show(value)}`)].join(' ')
}

/** Returns text for a recorded value. Objects of Fastify and Node have only their names. */
function describe(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Error) return String(value)
  const prototype: unknown = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : null
  const isPlain = prototype === null || prototype === Object.prototype || Array.isArray(value)
  if (isPlain) return inspect(value, { depth: 4, breakLength: Number.POSITIVE_INFINITY })
  // The query has a prototype without a constructor.
  return value?.constructor ? `[${value.constructor.name}]` : show(value)
}
