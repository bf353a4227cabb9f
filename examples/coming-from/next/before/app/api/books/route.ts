import { listBooks } from '@/lib/library'

export function GET() {
  return Response.json(listBooks())
}
