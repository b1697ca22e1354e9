import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["node_modules/", "*.mjs"] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", 60],
      eqeqeq: "error",
      "no-console": "error",
      // Texts of programs are hostile: they reach a page as text nodes, never as markup.
      "no-restricted-properties": ["error", { property: "innerHTML" }, { property: "outerHTML" }, { property: "insertAdjacentHTML" }],
    },
  },
);
