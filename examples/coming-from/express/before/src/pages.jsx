import { Book } from './pages/book.jsx'
import { Books } from './pages/books.jsx'
import { Members } from './pages/members.jsx'
import { Message } from './pages/message.jsx'
import { SignIn } from './pages/sign-in.jsx'
import { Suggest } from './pages/suggest.jsx'

/** The pages by name. The server tells the browser the name of the page to hydrate. */
export const pages = { Book, Books, Members, Message, SignIn, Suggest }
