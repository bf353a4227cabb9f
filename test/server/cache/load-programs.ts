import { format, inspect } from 'node:util'
import { createRandom, type Random } from '../../shared/random.ts'
import type { Visit } from './recorded.ts'

/** A value of a program. Its words describe it without reading it, if it is an object of the request. */
type Operand = { value: unknown; words: string | null }

/** A program is running. Each operation draws its operands from the values before it. */
interface Run {
  random: Random
  operands: Operand[]
  /** The results of the operations so far, as texts. */
  trace: string[]
  /** True for a program that avoids most reads of the visitor, or nearly all programs would have one. */
  isCareful: boolean
  /** Words for the objects of the request, for the recorders and for their originals. */
  roles: Map<unknown, string>
}

/** Names of shared properties, and names that all objects have. */
const QUIET = [
  ...['headers', 'host', 'url', 'query', 'params', 'request', 'log', 'method', 'port', 'page', 'header', 'code', 'id'],
  ...['statusCode', 'is404', 'originalUrl', 'hostname', 'protocol', 'sent', 'level', 'then', 'toJSON', 'constructor'],
  ...['__proto__', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf'],
] as const
const PERSONAL = [
  ...[
    'cookie',
    'user-agent',
    'x-missing',
    'user',
    'session',
    'cookies',
    'account',
    'whoAmI',
    'ip',
    'ips',
    'body',
    'name',
  ],
  ...['getHeader', 'context', 'missing', 'note', 'getDecorator', 'mediaType', 'additionalHeaders', 'remember', 'value'],
] as const
/** Names that a program may write. Others would break the response. */
const WRITTEN = ['note', 'user', 'x-added', 'session', 'account'] as const
const QUIET_CALLS = [
  ...['header', 'removeHeader', 'valueOf', 'toString', 'toLocaleString', 'isPrototypeOf', 'isLevelEnabled', 'info'],
] as const
const CALLS = [
  ...['getHeader', 'hasHeader', 'getHeaders', 'whoAmI', 'remember', 'hasOwnProperty', 'propertyIsEnumerable'],
  ...['__lookupGetter__', '__lookupSetter__', 'getDecorator', 'get', 'bindings'],
] as const

const isObject = (value: unknown): value is Record<string, unknown> =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

/** Runs the operation, or returns the text of the error: errors are a way out too. */
function attempt(operation: () => unknown): unknown {
  try {
    return operation()
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : error
  }
}

class Derived {
  wrapped: unknown
  constructor(wrapped: unknown) {
    this.wrapped = wrapped
  }
}

type Operation = (object: Record<string, unknown>, name: string, run: Run) => unknown

const pickName = ({ random, isCareful }: Run) =>
  isCareful || random.below(3) > 0 ? random.pick(QUIET) : random.pick(PERSONAL)
const pickCall = ({ random, isCareful }: Run) =>
  isCareful || random.below(3) > 0 ? random.pick(QUIET_CALLS) : random.pick(CALLS)
const pick = ({ random, operands }: Run) => operands[random.below(operands.length)]?.value
const otherObject = (run: Run) => {
  const other = pick(run)
  return isObject(other) ? other : {}
}

/** Operations that behave in the same way with a recorder and with the original. */
const EXACT: Record<string, Operation> = {
  get: (object, name) => object[name],
  reflectGet: (object, name) => Reflect.get(object, name),
  has: (object, name) => name in object,
  hasOwn: (object, name) => Object.hasOwn(object, name),
  descriptor: (object, name) => Object.getOwnPropertyDescriptor(object, name),
  keys: (object) => Object.keys(object),
  ownKeys: (object) => Reflect.ownKeys(object).filter((key) => typeof key === 'string'),
  names: (object) => Object.getOwnPropertyNames(object),
  symbol: (object, _, { random }) =>
    Reflect.get(object, random.pick([Symbol.iterator, Symbol.toStringTag, inspect.custom])),
  entries: (object) => Object.entries(object).map(([name]) => name),
  spread: (object) => ({ ...object }),
  rest: ({ note, ...rest }) => Object.keys(rest),
  destructure: ({ headers, session, context, ...rest }) => [headers, session, context, 'user' in rest],
  assign: (object) => Object.keys(Object.assign({}, object)),
  forIn: (object) => {
    const names = []
    for (const name in object) names.push(name)
    return names
  },
  string: (object) => (Array.isArray(object) ? 'array' : `${String(object)} ${object}`),
  tag: (object) => Object.prototype.toString.call(object),
  prototype: (object) => Object.getPrototypeOf(object) === null,
  instance: (object, _, run) => object instanceof Object && otherObject(run) instanceof Object,
  child: (object, name) => (Object.create(object) as Record<string, unknown>)[name],
  wrapped: (object, name) => (new Proxy(object, {}) as Record<string, unknown>)[name],
  derived: (object) => new Derived(object).wrapped,
  mapped: (object) => [...new Map([[object, object]]).values()][0],
  set: (object, name, run) => {
    object[run.random.pick(WRITTEN)] = run.random.pick<unknown>([1, 'text', null])
    return name
  },
  reflectSet: (object, name, run) => [Reflect.set(object, run.random.pick(WRITTEN), 'set'), name],
  define: (object, _, run) => {
    const configurable = run.random.below(2) === 0 ? {} : { configurable: true }
    return Reflect.defineProperty(object, run.random.pick(WRITTEN), {
      value: 'defined',
      writable: true,
      ...configurable,
    })
  },
  remove: (object, _, { random }) => Reflect.deleteProperty(object, random.pick(WRITTEN)),
  call: (object, name, run) => {
    const called = object[pickCall(run)]
    return typeof called === 'function' ? Reflect.apply(called, object, [name, 'x-value']) : called
  },
  detached: (object, name, run) => {
    const called = object[pickCall(run)]
    return typeof called === 'function' ? Reflect.apply(called, otherObject(run), [name]) : called
  },
  bound: (object, name, run) => {
    const called = object[pickCall(run)]
    return typeof called === 'function' ? (called.bind(object) as (name: string) => unknown)(name) : called
  },
  optional: (object, name) => (object[name] as Record<string, unknown> | undefined)?.user,
  same: (object, name) => [object[name]].includes(object[name]),
  equal: (object, _, run) => object === pick(run),
  chain: (object) => {
    const header = object.header as ((name: string, value: string) => Visit['reply']) | undefined
    return header?.call(object, 'x-chained', '1').request
  },
  concat: (object) => ([0] as unknown[]).concat(object).length,
}

/** Operations whose result differs between a recorder and its original, or that describe the whole. */
const LOOSE: Record<string, Operation> = {
  prototypeGet: (object, name, run) => Reflect.get(Object.getPrototypeOf(object) ?? {}, name, otherObject(run)),
  inspect: (object, _, { random }) =>
    inspect(object, {
      depth: random.below(3),
      showHidden: random.below(2) === 0,
      showProxy: random.below(2) === 0,
      customInspect: random.below(4) > 0,
      getters: random.below(4) === 0,
    }),
  format: (object) => format('%o %O %s', object, object, object),
  json: (object) => JSON.stringify(object),
  clone: (object) => structuredClone(object),
  headers: (object) => [...new Headers(object as Record<string, string>)].map(String),
  descriptors: (object) => Object.getOwnPropertyDescriptors(object),
  getter: (object, name, run) => {
    const get = Reflect.get(Object.getOwnPropertyDescriptor(Object.getPrototypeOf(object) ?? {}, name) ?? {}, 'get')
    return typeof get === 'function' ? Reflect.apply(get, otherObject(run), []) : get
  },
  parentGetter: (object, name) => (object.__lookupGetter__ as (name: string) => () => unknown)(name)?.call(object),
  receiver: (object, name, run) => Reflect.get(otherObject(run), name, object),
  setFunction: (object) => {
    object.note = function note(this: Visit['request']) {
      return this.headers
    }
    return (object.note as () => unknown)()
  },
  defineGetter: (object) => {
    Object.defineProperty(object, 'note', { get: () => object.headers, configurable: true })
    return object.note
  },
  newPrototype: (object) => Object.setPrototypeOf(object, Object.getPrototypeOf(object) as object) === object,
  freeze: (object) => Object.isFrozen(object) || Object.isExtensible(object),
  construct: (object) => (typeof object.constructor === 'function' ? object.constructor.name : null),
}

/** Operations that read all properties. */
const WHOLE = new Set([
  ...['keys', 'ownKeys', 'names', 'entries', 'spread', 'rest', 'destructure', 'assign', 'forIn', 'json', 'headers'],
  'descriptors',
])

/** Returns the names of the objects of a request, for descriptions. */
export function rolesOf({ request, reply, context }: Visit): [unknown, string][] {
  return [
    ...([
      [request, 'request'],
      [reply, 'reply'],
      [context, 'context'],
      [request.headers, 'headers'],
    ] as const),
    ...([
      [request.log, 'log'],
      [request.server, 'app'],
    ] as const),
  ].map(([object, role]) => [object, role])
}

/** Runs the program of a seed. Its operations depend on the seed and on the kinds of the values before them. */
export async function runProgram(
  seed: number,
  { request, reply, context }: Visit,
  roles: Map<unknown, string>,
  mayBeLoose: boolean,
) {
  const random = createRandom(seed)
  const isCareful = random.below(2) === 0
  const start = isCareful ? [request, reply] : [request, reply, context, request.headers]
  const operands: Operand[] = start.map((value) => ({ value, words: roles.get(value) ?? null }))
  const run: Run = { random, operands, trace: [], isCareful, roles }
  const operations = Object.entries(mayBeLoose ? { ...EXACT, ...LOOSE } : EXACT).filter(
    ([label]) => !isCareful || !WHOLE.has(label),
  )
  const steps = 1 + run.random.below(10)
  for (let step = 0; step < steps; step++) {
    const [label, operation] = operations[run.random.below(operations.length)] ?? []
    const at = run.random.below(operands.length)
    const name = pickName(run)
    const object = operands[at]?.value
    if (!isObject(object) || !operation) continue
    if (run.random.below(4) === 0) await new Promise(setImmediate)
    const result = attempt(() => operation(object, name, run))
    const words = describe(result, run.roles, 2)
    run.trace.push(`${label} ${operands[at]?.words}.${name} → ${words}`)
    // A write to a prototype would change the programs that follow.
    if (isObject(result) && name !== '__proto__' && isUsable(result, run)) operands.push({ value: result, words })
  }
  return { trace: run.trace, values: operands.map(({ value }) => value) }
}

/** Objects of Node.js and of the app are no operands: a write to them would break the process. */
function isUsable(value: Record<string, unknown>, { roles }: Run): boolean {
  if (roles.has(value)) return roles.get(value) !== 'app'
  if (typeof value === 'function') return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return isPlain(prototype) || Array.isArray(value)
}

/** Fastify's `params` and `query` have a prototype without a constructor. */
function isPlain(prototype: unknown): boolean {
  return prototype === Object.prototype || !isObject(prototype) || prototype.constructor === undefined
}

/** Describes a result. Objects of the request are named: a description must not read them. */
function describe(value: unknown, roles: Map<unknown, string>, depth: number): string {
  const role = roles.get(value)
  if (role !== undefined) return role
  if (typeof value === 'function') return `function ${value.name}`
  if (!isObject(value)) return typeof value === 'symbol' ? String(value) : (JSON.stringify(value) ?? String(value))
  if (Array.isArray(value)) return `[${value.map((item) => describe(item, roles, depth - 1)).join(', ')}]`
  const prototype = Object.getPrototypeOf(value) as object | null
  if (!isPlain(prototype)) return `an object of ${prototype?.constructor.name}`
  const parts = Object.entries(Object.getOwnPropertyDescriptors(value)).map(([name, { value, get }]) =>
    depth === 0 ? name : `${name}: ${get ? 'getter' : describe(value, roles, depth - 1)}`,
  )
  return `{${parts.join(', ')}}`
}
