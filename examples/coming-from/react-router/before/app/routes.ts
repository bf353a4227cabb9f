import { index, type RouteConfig, route } from '@react-router/dev/routes'

export default [
  index('routes/home.tsx'),
  route('books/:id', 'routes/book.tsx'),
  route('suggest', 'routes/suggest.tsx'),
  route('sign-in', 'routes/sign-in.tsx'),
  route('members', 'routes/members.tsx'),
  route('api/books', 'routes/api-books.ts'),
] satisfies RouteConfig
