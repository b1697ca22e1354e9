;;; check.el --- Driven by test_emacs.py: `emacs -Q --batch -l check.el', parts in the environment  -*- lexical-binding: t; -*-

;; Prints one JSON object per step; leaves with an error when a step does not come true.

(dolist (folder (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa/*"))
  (add-to-list 'load-path folder))
(add-to-list 'load-path (getenv "PLUGIN"))
(require 'json)
(require 'eglot)
(require 'lsp-evalplus)

(defun say (step value)
  (princ (concat (json-encode `((step . ,step) (value . ,value))) "\n")))

(defmacro wait-for (what form)
  `(let ((end (+ (float-time) 20)) value)
     (while (not (setq value ,form))
       (when (> (float-time) end)
         (princ (format "not within 20 s: %s\n" ,what))
         (kill-emacs 1))
       (accept-process-output nil 0.02))
     value))

(defun findings ()
  (seq-filter (lambda (d) (string-match-p "median" (flymake-diagnostic-text d))) (flymake-diagnostics)))

(setq eglot-confirm-server-initiated-edits nil
      lsp-evalplus-command (list (getenv "SERVER") "serve")
      lsp-evalplus-settings (list :interpreter (getenv "INTERPRETER")))

(find-file (getenv "FILE"))
(let ((project-find-functions (list (lambda (_) (cons 'transient default-directory)))))
  (apply #'eglot--connect (eglot--guess-contact)))
(wait-for "the server to manage the buffer" (eglot-managed-p))
(flymake-mode 1)

(goto-char (point-max))
(beginning-of-line)
(let ((beginning (point)))
  (delete-region beginning (point-max))
  (insert (getenv "BODY"))
  (lsp-evalplus-notify-accepted beginning (point-max) "full" "test"))
(let ((found (wait-for "the diagnostic" (progn (flymake-start) (car (findings))))))
  (say "diagnostic" (flymake-diagnostic-text found)))

(goto-char (+ (point-min) 5))
(let* ((position (eglot--pos-to-lsp-position (point)))
       (hover (jsonrpc-request (eglot-current-server) :textDocument/hover
                               (list :textDocument (eglot--TextDocumentIdentifier) :position position)))
       (actions (jsonrpc-request (eglot-current-server) :textDocument/codeAction
                                 (list :textDocument (eglot--TextDocumentIdentifier)
                                       :range (list :start position :end position)
                                       :context (list :diagnostics [])))))
  (say "hover" (plist-get (plist-get hover :contents) :value))
  (say "actions" (vconcat (mapcar (lambda (a) (plist-get a :title)) actions)))
  (let ((add (seq-find (lambda (a) (string-suffix-p "example to the docstring" (plist-get a :title))) actions)))
    (eglot--apply-workspace-edit (plist-get add :edit) nil)))
(say "applied" (buffer-string))

(goto-char (point-max))
(search-backward "return")
(delete-region (point) (point-max))
(insert "return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2\n")
(eglot--signal-textDocument/didChange)
(wait-for "the diagnostic to go" (progn (flymake-start) (null (findings))))
(say "cleared" t)
(set-buffer-modified-p nil)
(eglot-shutdown (eglot-current-server))
;;; check.el ends here
