import type { PageProps } from 'hydrant/react'
import { Price } from '../components/price.tsx'
import { TextField } from '../components/text-field.tsx'

export default function Checkout({ data, fields, invalid }: PageProps<'/checkout'>) {
  return (
    <form method="post" className="grid max-w-md gap-4">
      <title>{`${invalid ? 'Error: ' : ''}Check out · Paper & Ink`}</title>
      <h1 className="text-3xl">Check out</h1>
      {invalid && (
        <p role="alert" className="text-problem">
          Your order was not sent. {invalid.issues['']}
        </p>
      )}
      <TextField label="Name" field={fields.name} autoComplete="name" />
      <TextField label="E-mail" field={fields.email} autoComplete="email" />
      <TextField label="Street" field={fields['address.street']} autoComplete="address-line1" />
      <TextField
        label="Postcode"
        field={fields['address.postcode']}
        autoComplete="postal-code"
        inputMode="numeric"
        title="five digits"
      />
      <TextField label="City" field={fields['address.city']} autoComplete="address-level2" />
      <fieldset className="grid gap-1">
        <legend>Delivery</legend>
        <label>
          <input type="radio" defaultChecked {...fields.delivery.option('post')} /> by post
        </label>
        <label>
          <input type="radio" {...fields.delivery.option('pickup')} /> pick up in the shop
        </label>
        <p id={fields.delivery.errorId} className="text-problem">
          {fields.delivery.issues}
        </p>
      </fieldset>
      <button type="submit" className="button">
        Order for <Price cents={data.total} />
      </button>
    </form>
  )
}
