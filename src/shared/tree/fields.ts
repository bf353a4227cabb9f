import type { Field, InvalidAttributes, InvalidForm, OptionAttributes } from '../page-types.ts'
import type { ActionRules, ExtraProps, FormRules } from '../wire/boot.ts'

export type CreateFormProps = typeof createFormProps

/** Returns the props of a page with forms that follow its extras. */
export function createFormProps({ rules = {} }: { rules?: ActionRules | undefined }, extras: ExtraProps = {}) {
  if (rules['']) return { fields: createFields(rules[''], extras.invalid) }
  const actions = Object.entries(rules).map(([name, ofForm]) => {
    const { actionData: data, invalid }: ExtraProps = extras.action === name ? extras : {}
    return [name, { data, invalid, fields: ofForm ? createFields(ofForm, invalid, `${name}-`) : undefined }]
  })
  // The result belongs to one action only.
  return { actions: Object.fromEntries(actions), action: undefined, actionData: undefined, invalid: undefined }
}

/**
 * Returns the fields of a form by their names. Any name has a field.
 *
 * @param prefix Begins the ids, which two forms must not share (none).
 */
export function createFields(rules: FormRules, invalid?: InvalidForm, prefix = ''): Readonly<Record<string, Field>> {
  const created = new Map<string, Field>()
  /** The element that gets the focus: the first one with a message, in the order in which the page reads them. */
  let focused = ''

  function takesFocus(element: string): boolean {
    focused ||= element
    return focused === element
  }

  return new Proxy(
    {},
    {
      get(_, name) {
        // React and consoles ask for symbols.
        if (typeof name !== 'string') return undefined
        const field = created.get(name) ?? createField(name, rules, invalid, prefix, takesFocus)
        created.set(name, field)
        return field
      },
    },
  )
}

function createField(
  name: string,
  rules: FormRules,
  invalid: InvalidForm | undefined,
  prefix: string,
  takesFocus: (element: string) => boolean,
): Field {
  const key = name.replace(/\[]$/, '')
  const fieldRules = ownValue(rules, key.replace(/\[\d+]/g, '[]')) ?? {}
  const issues = ownValue(invalid?.issues, key) ?? []
  const typed = ownValue(invalid?.values, key)
  const errorId = `${prefix}${name.replace(/\s/g, '-')}-error`
  const state: InvalidAttributes = issues.length > 0 ? { 'aria-invalid': true, 'aria-describedby': errorId } : {}

  function withFocus<Attributes extends InvalidAttributes>(attributes: Attributes, element: string): Attributes {
    if (issues.length === 0) return attributes
    // Decided when the page copies the attributes into an element: it may read `issues` of other fields before.
    const get = () => takesFocus(element) || undefined
    return Object.defineProperty(attributes, 'autoFocus', { get, enumerable: true })
  }

  function option(value: string): OptionAttributes {
    const attributes: OptionAttributes = { name, value, ...state }
    if (fieldRules.required) attributes.required = true
    if (typed !== undefined) attributes.defaultChecked = [typed].flat().includes(value)
    // The visitor may have sent none of the options.
    else if (invalid) attributes.defaultChecked = false
    return withFocus(attributes, `${name}=${value}`)
  }

  const attributes: Omit<Field, 'errorId' | 'issues' | 'option'> = { name, ...fieldRules, ...state }
  if (typed !== undefined) attributes.defaultValue = fieldRules.multiple ? createSelection([typed].flat()) : typed
  return Object.defineProperties(withFocus(attributes, name), {
    errorId: { value: errorId },
    issues: { value: issues },
    option: { value: option },
    // The properties are not enumerable, so that a spread leaves them out; TypeScript does not know them.
  }) as Field
}

/** Returns the values of `<select multiple>`. A text input, which makes a text of them, shows no joined values. */
function createSelection(values: string[]): string[] {
  return values.length > 1 ? Object.defineProperty(values, 'toString', { value: () => '' }) : values
}

function ownValue<Value>(record: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined
}
