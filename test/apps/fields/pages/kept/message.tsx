import { useState } from 'react'

export default function Message() {
  const [subject, setSubject] = useState('')
  return (
    <>
      <h1>Message</h1>
      <a id="away" href="/kept/login">
        Sign in
      </a>
      <b id="shown">{subject}</b>
      <form method="post">
        <textarea id="text" name="text" />
        <input id="code" name="code" autoComplete="off" />
        <input id="secret" name="secret" type="password" />
        <input id="subject" name="subject" value={subject} onChange={(event) => setSubject(event.target.value)} />
        <input id="news" name="news" type="checkbox" />
        <button type="submit" id="send">
          Send
        </button>
      </form>
      <form method="get">
        <input id="aside" name="aside" />
      </form>
    </>
  )
}
