import cookieParser from 'cookie-parser'
import express from 'express'
import { checkPassword, findBook, listBooks, suggestions } from './library.js'
import { render } from './render.jsx'

const { COOKIE_SECRET } = process.env
if (!COOKIE_SECRET) throw new Error('Set COOKIE_SECRET, for example to the output of: openssl rand -base64 32')

const app = express()
app.use(express.static(new URL('./public', import.meta.url).pathname))
app.use(express.urlencoded())
app.use(cookieParser(COOKIE_SECRET))
app.use((request, response, next) => {
  response.locals.member = request.signedCookies.member || null
  next()
})

app.get('/api/books', (_request, response) => response.json(listBooks()))

app.get('/', (_request, response) => render(response, 'Books', { books: listBooks() }))

app.get('/books/:id', (request, response) => {
  const book = findBook(request.params.id)
  if (book) render(response, 'Book', { book })
  else render(response.status(404), 'Message', { text: 'This book is not in our list' })
})

app.get('/suggest', (_request, response) => render(response, 'Suggest'))
app.post('/suggest', (request, response) => {
  const { title = '', email = '' } = request.body
  const errors = {}
  if (title.trim().length < 2) errors.title = 'Enter the title.'
  if (!email.includes('@')) errors.email = 'Enter an e-mail address.'
  if (Object.keys(errors).length > 0) return render(response.status(422), 'Suggest', { title, email, errors })
  suggestions.push(title.trim())
  response.redirect(303, '/')
})

app.get('/sign-in', (_request, response) => render(response, 'SignIn'))
app.post('/sign-in', (request, response) => {
  const { name = '', password = '' } = request.body
  if (!checkPassword(name, password)) {
    return render(response.status(422), 'SignIn', { name, problem: 'This name or this password is wrong.' })
  }
  response.cookie('member', name, { path: '/', httpOnly: true, sameSite: 'lax', signed: true })
  response.redirect(303, '/members')
})

app.get('/members', requireMember, (_request, response) => {
  render(response, 'Members', { name: response.locals.member, suggestions })
})

app.use((_request, response) => render(response.status(404), 'Message', { text: 'This page does not exist' }))

app.use((error, _request, response, _next) => {
  console.error(error)
  render(response.status(500), 'Message', { text: 'This page cannot be shown' })
})

app.listen(process.env.PORT ?? 3000)

function requireMember(_request, response, next) {
  if (response.locals.member) next()
  else response.redirect('/sign-in')
}
