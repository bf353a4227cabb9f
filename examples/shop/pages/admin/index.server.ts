import { type ActionContext, invalidForm, redirect } from 'hydrant'
import { z } from 'zod'
import { storePhoto } from '../../shop/photos.server.ts'
import { addProduct, findProduct, KINDS } from '../../shop/products.server.ts'

export function load() {
  return { kinds: KINDS }
}

export const form = z.object({
  name: z.string().trim().min(2, 'Enter a name.'),
  kind: z.enum(KINDS, 'Choose a kind.'),
  price: z.coerce.number('Enter a price.').min(0.01, 'Enter a price.').multipleOf(0.01),
  text: z.string().trim().max(500, 'Use at most 500 characters.'),
  photo: z
    .file('Choose a photo.')
    .max(1_000_000, 'Choose a photo of at most 1 MB.')
    .mime(['image/jpeg', 'image/png', 'image/webp'], 'Choose a JPEG, PNG or WebP file.'),
})

export async function action({ input }: ActionContext<'/admin'>) {
  const { photo, price, ...product } = input
  const id = product.name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  if (findProduct(id)) invalidForm({ name: 'There is a product with this name.' })
  addProduct({ ...product, id, price: Math.round(price * 100), photo: await storePhoto(photo) })
  redirect(`/products/${id}`)
}
