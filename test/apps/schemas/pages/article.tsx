import { href, type PageProps, useSubmission } from 'hydrant/react'

const to = (action: 'comment' | 'subscribe' | 'favourite') => href('/article', {}, { action })

export default function Article({ data, url, actions: { comment, subscribe, favourite } }: PageProps<'/article'>) {
  const quick = useSubmission('/article', {}, { action: 'favourite' })
  return (
    <>
      <p id="data">{JSON.stringify({ ...data, seen: url.search })}</p>
      <p id="results">{JSON.stringify([comment.data, subscribe.data, favourite.data])}</p>
      <p id="refused">{JSON.stringify([comment.invalid, subscribe.invalid, favourite.invalid])}</p>
      <form method="post" action={to('comment')} noValidate>
        <input id="text" {...comment.fields.text} />
        <p id={comment.fields.text.errorId}>{comment.fields.text.issues}</p>
        <input id="email" {...comment.fields.email} />
        <p id={comment.fields.email.errorId}>{comment.fields.email.issues}</p>
        <button id="comment" type="submit">
          Comment
        </button>
      </form>
      <form method="post" action={to('subscribe')} noValidate>
        <input id="other" {...subscribe.fields.email} />
        <p id={subscribe.fields.email.errorId}>{subscribe.fields.email.issues}</p>
        <button id="subscribe" type="submit">
          Subscribe
        </button>
      </form>
      <form {...quick.form}>
        <button id="quick" type="submit">
          Favourite
        </button>
        <p id="own">{JSON.stringify(quick.data)}</p>
      </form>
    </>
  )
}
