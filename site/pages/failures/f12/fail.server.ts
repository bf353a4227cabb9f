import { notFound } from 'hydrant'

export function load(): { name: string } {
  notFound()
}
