// The same address answers JSON with the current numbers.
const status = document.querySelector('[role=status]');
const show = (number) => (number === null ? '–' : number.toLocaleString('en'));
const refresh = async () => {
  if (document.hidden) return;
  try {
    const { numbers } = await (await fetch('./', { headers: { accept: 'application/json' } })).json();
    for (const element of document.querySelectorAll('dd')) element.textContent = show(numbers[element.id]);
    status.textContent = Object.values(numbers).includes(null) ? 'The database does not answer.' : '';
  } catch {
    status.textContent = 'The gateway does not answer.';
  }
};
setInterval(refresh, 2000);
document.addEventListener('visibilitychange', refresh);
