import { randomUUID } from 'node:crypto'

interface Photo {
  type: string
  bytes: Buffer
}

/** A placeholder for your storage of files. */
const photos = new Map<string, Photo>()

/** Stores an uploaded photo. Returns its address. */
export async function storePhoto(file: File): Promise<string> {
  const id = randomUUID()
  photos.set(id, { type: file.type, bytes: Buffer.from(await file.arrayBuffer()) })
  return `/photos/${id}`
}

export function findPhoto(id: string): Photo | undefined {
  return photos.get(id)
}
