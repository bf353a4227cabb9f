/** Returns options of Node.js that let no module of such a name load. */
export function refuseModules(names: RegExp): string[] {
  const refuse = `export async function resolve(name, context, next) {
    if (${names}.test(name)) throw new Error('refused ' + name)
    return next(name, context)
  }`
  const hooks = `import { register } from 'node:module'; register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(refuse))})`
  return ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`]
}
