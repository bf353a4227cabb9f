import type { PageProps } from 'hydrant/react'
import { TextField } from '../../components/text-field.tsx'

export default function Admin({ data, fields, invalid }: PageProps<'/admin'>) {
  return (
    <form method="post" encType="multipart/form-data" className="grid max-w-md gap-4">
      <title>{`${invalid ? 'Error: ' : ''}New product · Paper & Ink`}</title>
      <h1 className="text-3xl">New product</h1>
      {invalid && (
        <p role="alert" className="text-problem">
          The product was not stored. {invalid.issues['']}
        </p>
      )}
      <TextField label="Name" field={fields.name} />
      <label className="grid gap-1">
        Kind
        <select {...fields.kind} className="input">
          {data.kinds.map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </select>
      </label>
      <TextField label="Price in euros" field={fields.price} />
      <TextField label="Description" field={fields.text} />
      <TextField label="Photo" field={fields.photo} />
      <button type="submit" className="button">
        Store
      </button>
    </form>
  )
}
