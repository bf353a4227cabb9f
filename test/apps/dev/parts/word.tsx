export const Word = () => <b id="word">first</b>
