import { isBuiltin } from 'node:module'

/** Options of Node.js without `node:sqlite`. Versions before 22.13 have neither the module nor the option. */
export const WITHOUT_SQLITE = isBuiltin('node:sqlite') ? ['--no-experimental-sqlite'] : []

/** Returns options of Node.js that let no module of such a name load. */
export function refuseModules(names: RegExp): string[] {
  const refuse = `export async function resolve(name, context, next) {
    if (${names}.test(name)) throw new Error('refused ' + name)
    return next(name, context)
  }`
  const hooks = `import { register } from 'node:module'; register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(refuse))})`
  return ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`]
}
