/**
 * Returns the code that exports members of an object. A name may be any text, so each member gets a variable.
 *
 * @param object The variable of the object.
 */
export function exportMembers(object: string, names: readonly string[]): string {
  const constants = names.map((name, index) => `const value${index} = ${object}[${JSON.stringify(name)}]\n`)
  const list = names.map((name, index) => `value${index} as ${JSON.stringify(name)}`)
  return `${constants.join('')}export { ${list.join(', ')} }\n`
}
