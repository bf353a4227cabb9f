import { waitForever } from '../../../content/later.ts'

export async function load(): Promise<{ name: string }> {
  return await waitForever()
}
