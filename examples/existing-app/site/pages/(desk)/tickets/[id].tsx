import type { PageProps } from 'hydrant/react'

export default function TicketPage({ data, actionData }: PageProps<'/tickets/[id]'>) {
  const { title, text, isOpen, answers } = data.ticket
  const problem = actionData?.problem
  return (
    <>
      <title>{problem ? `Error: ${title}` : title}</title>
      <h1>{title}</h1>
      <p className="state">{isOpen ? 'open' : 'closed'}</p>
      <p>{text}</p>
      <h2>Answers</h2>
      {answers.length === 0 && <p>There is no answer yet.</p>}
      {answers.map((answer, position) => (
        <p key={position} className="answer">
          <strong>{answer.by}</strong>: {answer.text}
        </p>
      ))}
      {/* The key gives the form of each state of the ticket an empty field. */}
      <form key={answers.length} method="post" className="fields">
        <label htmlFor="text">Your answer</label>
        <textarea
          id="text"
          name="text"
          rows={4}
          required
          aria-invalid={problem ? true : undefined}
          aria-describedby="problem"
        />
        <p id="problem" role="alert" className="problem">
          {problem}
        </p>
        <div className="links">
          <button type="submit">Answer</button>
          <button type="submit" name="close" value="yes" className="plain">
            Answer and close
          </button>
        </div>
      </form>
    </>
  )
}
