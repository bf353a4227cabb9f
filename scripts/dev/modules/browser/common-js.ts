/** A package or module that a module requires, with the URL of its script. */
export type RequireTarget =
  | { kind: 'package' | 'commonjs' | 'json' | 'esm'; url: string }
  /** `expression` throws. */
  | { kind: 'missing'; expression: string }
  | { kind: 'style' }

/**
 * Completes a script that calls `require`, on one line before it. A CommonJS module becomes a module whose default
 * export has the functions `load` and `namespace`: it is evaluated when it is first used, as in a bundle.
 *
 * @param targets The required modules by their specifiers. A call with another specifier throws.
 */
export function completeRequires(
  code: string,
  targets: ReadonlyMap<string, RequireTarget>,
  isCommonJs: boolean,
): string {
  const imports: string[] = []
  const members = [...targets].map(([specifier, target], index) => {
    const local = `hydrantModule${index}`
    if ('url' in target) {
      const binding = target.kind === 'esm' ? `* as ${local}` : local
      imports.push(`import ${binding} from ${JSON.stringify(target.url)};`)
    }
    return `${JSON.stringify(specifier)}: () => ${expressionOf(target, local)}`
  })
  const object = `{ ${members.join(', ')} }`
  if (isCommonJs) {
    const start = `export default __hydrant_dev__.commonJs(${object}, function (module, exports, require) {`
    return `${imports.join('')}${start}${code}\n});`
  }
  return targets.size === 0
    ? code
    : `${imports.join('')}const require = __hydrant_dev__.createRequire(${object});${code}`
}

/** Returns the expression of the value that `require` returns. */
function expressionOf(target: RequireTarget, local: string): string {
  switch (target.kind) {
    case 'package':
      return `${local}()`
    case 'missing':
      return target.expression
    case 'commonjs':
      return `${local}.load()`
    case 'json':
      return local
    case 'esm':
      return `({ __esModule: true, ...${local} })`
    case 'style':
      return '({})'
  }
}
