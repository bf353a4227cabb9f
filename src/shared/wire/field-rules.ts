/** The rules of a field that a browser checks: attributes of `<input>`, with the names of React's props. */
export interface FieldRules {
  type?: 'email' | 'url' | 'date' | 'time' | 'number' | 'file'
  required?: true
  multiple?: true
  minLength?: number
  maxLength?: number
  min?: number
  max?: number
  step?: number | 'any'
  pattern?: string
  accept?: string
}

/** The rules of a form by the names of its fields. An item of an array is `items[].name`. */
export type FormRules = Record<string, FieldRules>
