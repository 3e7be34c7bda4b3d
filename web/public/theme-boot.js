// Runs before the first paint, outside the bundle: the page must not flash in the wrong theme,
// and the content security policy allows no inline script. `Theme` owns this key.
try {
  const choice = localStorage.getItem('soai.theme');
  if (choice === 'light' || choice === 'dark') document.documentElement.dataset.theme = choice;
} catch {
  // Storage is blocked: follow the system.
}
