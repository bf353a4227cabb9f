import { inspect } from 'node:util'
import { originalOf, setOriginal } from '../http/original-request.ts'

/** A value that is the same for every visitor who gets the stored response. */
export interface Shared {
  value: unknown
}

/** An object of a request, and how it is named. */
export interface RecordedObject<Original extends object> {
  /** Name for warnings, for example `request.headers`. */
  name: string
  /** Returns the object. It may be another one each time. */
  original(): Original
  /** Returns the value of a property that may be read without a note, or null for any other property. */
  shared(property: PropertyKey): Shared | null
}

/** The functions that all recorders of one request share. */
export interface Recording {
  /** Notes that a property was read by which visitors can be told apart. */
  note(property: string): void
  /** Returns the recorder of an object, and a function that calls a function with originals; other values as they are. */
  recorderOf(value: unknown): unknown
}

/**
 * Properties that JavaScript, Node.js and React look up in any object. Reading one of them is only noted if the object
 * has it.
 */
const LOOKED_UP = new Set<PropertyKey>([
  ...['then', 'toJSON', '$$typeof', inspect.custom],
  ...[Symbol.toPrimitive, Symbol.toStringTag, Symbol.iterator, Symbol.asyncIterator, Symbol.isConcatSpreadable],
])

/**
 * Creates a recorder: a proxy that reads and writes the original, and notes each read of a property that is not shared.
 * Getters, setters and methods run with the original as `this`.
 */
export function createRecorder<Original extends object>(
  object: RecordedObject<Original>,
  recording: Recording,
): Original {
  const target = createTarget(object, recording)
  const recorder = new Proxy(target, { ...createReadTraps(object, recording), ...createWriteTraps(object, recording) })
  setOriginal(recorder, object.original())
  return recorder
}

/** Creates an object without properties: `util.inspect` looks at the target of a proxy, not at the proxy. */
function createTarget<Original extends object>({ name, original }: RecordedObject<Original>, { note }: Recording) {
  // `Object.create` is typed as `any`.
  const target = Object.create(Object.getPrototypeOf(original()) as object | null) as Original
  return Object.defineProperty(target, inspect.custom, {
    configurable: true,
    value(depth: number, options: object) {
      note(name)
      return inspect(original(), { ...options, depth })
    },
  })
}

function createReadTraps<Original extends object>(
  { name, original, shared }: RecordedObject<Original>,
  { note, recorderOf }: Recording,
): ProxyHandler<Original> {
  const sharedAt = (target: Original, property: PropertyKey) => (isFixed(target, property) ? null : shared(property))
  function noteRead(target: Original, property: PropertyKey) {
    if (!sharedAt(target, property) && !isPlain(original(), property)) note(memberName(name, property))
  }
  return {
    get(target, property, receiver) {
      const known = sharedAt(target, property)
      if (known) return known.value
      // The receiver is another object if its prototype is the recorder.
      const value = () => Reflect.get(original(), property, originalOf<unknown>(receiver)) as unknown
      // These functions are called with the recorder as `this`: `request.hasOwnProperty('user')` is a read.
      if (isPlain(original(), property)) return value()
      note(memberName(name, property))
      return isFixed(target, property) ? value() : recorderOf(value())
    },
    has(target, property) {
      noteRead(target, property)
      return Reflect.has(original(), property)
    },
    ownKeys() {
      note(name)
      return Reflect.ownKeys(original())
    },
    getOwnPropertyDescriptor(target, property) {
      noteRead(target, property)
      const descriptor = Reflect.getOwnPropertyDescriptor(original(), property)
      if (!descriptor || isFixed(target, property)) return descriptor
      const known = sharedAt(target, property)
      // The target has no such property, so it must be reported as configurable.
      if (!known && !('value' in descriptor)) return { ...descriptor, configurable: true }
      const { enumerable = false, writable = true } = descriptor
      const value = known ? known.value : recorderOf(descriptor.value)
      return { value, writable, enumerable, configurable: true }
    },
    getPrototypeOf: () => Reflect.getPrototypeOf(original()),
  }
}

/**
 * Writing is not a read, with these exceptions: a setter, a getter or another function that is called later can read
 * the original, which is its `this`; and a write whose outcome depends on the property as it was shows what it was.
 */
function createWriteTraps<Original extends object>(
  { name, original, shared }: RecordedObject<Original>,
  { note }: Recording,
): ProxyHandler<Original> {
  function write(property: PropertyKey, isRead: boolean, change: () => boolean): boolean {
    if (isRead) note(memberName(name, property))
    const isDone = change()
    if (!isDone) note(memberName(name, property))
    return isDone
  }
  return {
    set(_, property, value: unknown, receiver) {
      // An object whose prototype is the recorder gets a property of its own.
      if (originalOf<unknown>(receiver) === receiver) return Reflect.set(original(), property, value, receiver)
      const runsCode = typeof value === 'function' || (!shared(property) && isAccessor(original(), property))
      return write(property, runsCode, () => Reflect.set(original(), property, originalOf(value)))
    },
    defineProperty(target, property, descriptor) {
      const own = 'value' in descriptor ? { ...descriptor, value: originalOf<unknown>(descriptor.value) } : descriptor
      const isData = 'value' in own && typeof own.value !== 'function'
      // An attribute that is left out stays as it was.
      const isComplete = isData && 'writable' in own && 'enumerable' in own && 'configurable' in own
      const isDone = write(property, !isComplete, () => Reflect.defineProperty(original(), property, own))
      // A proxy may only report a property as not configurable if its target has the same one.
      const defined = Reflect.getOwnPropertyDescriptor(original(), property)
      return isDone && (defined?.configurable !== false || Reflect.defineProperty(target, property, defined))
    },
    deleteProperty: (_, property) => write(property, false, () => Reflect.deleteProperty(original(), property)),
    setPrototypeOf(_, prototype) {
      note(name)
      return Reflect.setPrototypeOf(original(), prototype)
    },
    // Fastify must be able to change the original.
    preventExtensions: () => false,
  }
}

/** Returns whether a property says nothing about the visitor, because every object of this class has the same one. */
function isPlain(original: object, property: PropertyKey): boolean {
  if (Object.hasOwn(original, property)) return false
  if (property === 'constructor' || property === '__proto__') return true
  const isKnown = property in Object.prototype || LOOKED_UP.has(property)
  return isKnown && Reflect.get(original, property) === Reflect.get(Object.prototype, property)
}

function isAccessor(original: object, property: PropertyKey): boolean {
  for (let holder: object | null = original; holder !== null; holder = Reflect.getPrototypeOf(holder)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(holder, property)
    if (descriptor) return !('value' in descriptor)
  }
  return false
}

/** Returns whether a property has been defined through the recorder as one that cannot be changed. */
function isFixed(target: object, property: PropertyKey): boolean {
  return Reflect.getOwnPropertyDescriptor(target, property)?.configurable === false
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

/** Returns `request.headers.cookie`, `request.headers['user-agent']` or `request[Symbol(name)]`. */
function memberName(name: string, property: PropertyKey): string {
  if (typeof property === 'symbol') return `${name}[${String(property)}]`
  const key = String(property)
  return IDENTIFIER.test(key) ? `${name}.${key}` : `${name}['${key}']`
}
