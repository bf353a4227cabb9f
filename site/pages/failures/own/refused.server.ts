import { HttpError } from 'hydrant'

export async function load(): Promise<{ name: string }> {
  throw new HttpError(403, 'Members only')
}
