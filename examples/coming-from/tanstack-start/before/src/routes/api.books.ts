import { createFileRoute } from '@tanstack/react-router'
import { listBooks } from '../lib/library.server'

export const Route = createFileRoute('/api/books')({
  server: { handlers: { GET: () => Response.json(listBooks()) } },
})
