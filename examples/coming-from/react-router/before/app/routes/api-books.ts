import { listBooks } from '../lib/library.server'

export function loader() {
  return Response.json(listBooks())
}
