/**
 * Statements that throw or reject, each for the body of an asynchronous generator. `log` logs its arguments and returns
 * the last one.
 */
export const THROWING_STATEMENTS = `
throw 'text'
throw (log(1), log(2), 3)
throw log(1), log(2), 3
if (log(1)) throw 'one'; else throw log(2) ? 'two' : 'three'
if (log(1) > 5) throw 'one'; throw 'two'
if (log(1) > 5) throw 'one'; if (log(2)) throw (log(3), log(4) > 3 ? 4 : 5); throw 6
throw await log(1)
throw await Promise.reject(log(1))
throw yield log(1)
throw yield
throw yield* [log(1), 2]
throw () => log(1)
throw async (a) => a
throw function named() {}
throw class Named {}
throw { a: log(1), ...{ b: 2 } }
throw [log(1), ...[2, 3]]
throw \`text \${log(1)}\`
throw String.raw\`text \${log(1)}\`
throw /(?:)/.test('') && log(1)
throw log(null) ?? 2
throw typeof log, void 0
throw undefined
throw null
throw NaN
throw -0
throw 10n
throw Symbol.iterator
throw !log(1)
let a = 1; throw a = log(2) + a
let a = 1; throw a++
throw new Date(log(0))
throw new (class { value = log(1) })().value
throw new Proxy({}, { get: (_, name) => log(String(name)), getPrototypeOf() { throw new Error() } })
throw Object.freeze({})
throw Promise.resolve(log(1))
throw new Error('error')
throw Error('error')
throw new (class Own extends Error {})('own')
class Own extends Error {} throw new Own('own')
const error = new Error('frozen'); error.stack = ''; throw Object.freeze(error)
const error = new Error('one'); Object.defineProperty(error, 'stack', { get() { throw new Error('two') } }); throw error
try { throw 'text' } catch (error) { log(error); throw error }
try { throw { code: 1 } } catch ({ code }) { throw code }
try { throw 1 } catch { throw 2 } finally { log(3) }
try { throw 1 } finally { throw log(2) }
for (const one of [1, 2]) { if (one > 1) throw one; log(one) }
switch (log(1)) { case 1: throw 'one'; default: throw 'other' }
outer: for (;;) { for (;;) { if (log(1)) break outer } } throw 'after'
if (log(1)) { log(2); throw 'in block' } else log(3)
do throw log(1); while (true)
await (async () => { throw 'text' })()
await Promise.resolve().then(() => { throw log(1) }).catch((error) => { throw error })
await Promise.resolve(1).then(null, log).then((value) => Promise.reject(value))
await Promise.reject(1).then(null, (error) => { throw error })
await Promise.reject()
await Promise.reject(log(1), log(2))
await Promise.reject(...[log(1)])
await Promise?.reject?.(log(1))
await Promise.reject((log(1), 2))
await Promise['reject'](log(1))
await new Promise((resolve, reject) => reject())
await new Promise((resolve, reject) => { if (log(1)) reject(); else resolve() })
await new Promise((resolve, reject) => { if (log(0)) resolve(); else reject() })
await new Promise((resolve, reject) => reject(log(1), log(2)))
await new Promise((resolve, reject) => reject?.())
await new Promise((resolve, reject) => { log(typeof reject()); return reject })
await new Promise(function (resolve, reject) { setTimeout(() => reject(log(1)), 0) })
let late; const promise = new Promise((_, reject) => { late = reject }); late('late'); await promise
let late; const promise = new Promise((_, reject) => { late = reject }); late(); await promise
const one = {}; const promise = new Promise((_, no) => { one.fail = no }); one.fail(log(1)); await promise
class One { #no; promise = new Promise((_, no) => { this.#no = no }); fail() { this.#no(7) } } const one = new One(); one.fail(); await one.promise
const list = { reject() { return arguments.length } }; log(list.reject(), list.reject(undefined), list.reject(1, 2))
const { reject } = { reject() { return arguments.length } }; log(reject(), reject(1))
const it = (function* () { try { yield 1 } catch (error) { log(error); throw error } })(); it.next(); it.throw('in')
const one = new AbortController(); one.abort('gone'); log(one.signal.reason); one.signal.throwIfAborted()
const Map = 1, WeakMap = 2, Object = 3, Error = class { name = 'own' }; throw new Error()
const v = 1, isCaught = 2, value = 3, $kept = 4; throw v + isCaught + value + $kept
const text = '(' + (() => { throw 'elsewhere' }) + ')()'; (0, eval)(text)
`
  .trim()
  .split('\n')
