import type { Field } from 'hydrant/react'
import type { InputHTMLAttributes } from 'react'

type TextFieldProps = InputHTMLAttributes<HTMLInputElement> & { label: string; field: Field }

/** An input with its label and the messages about it. Other attributes replace those of the field. */
export function TextField({ label, field, ...attributes }: TextFieldProps) {
  return (
    <div>
      <label className="grid gap-1">
        {label} <input {...field} {...attributes} className="input" />
      </label>
      <p id={field.errorId} className="text-problem">
        {field.issues}
      </p>
    </div>
  )
}
