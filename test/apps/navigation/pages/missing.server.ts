import { notFound } from 'hydrant'

export function load() {
  notFound()
}
